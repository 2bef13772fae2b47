"""YAML and safetensors: what is read, and what is refused and how."""

import json
import math
import unittest
from pathlib import Path

import numpy as np

import made
import strata
from strata.safetensors import Tensors
from strata.yaml_subset import parse_yaml


class Yaml(unittest.TestCase):
    def test_scalars(self):
        text = ('a: 1\nb: -2.5\nc: 1e-09\nd: true\ne: ""\nf: plain text\ng: "1"\nh: null\ni: .inf\nj: -.inf\nk: 12abc\n'
                'l: 9223372036854775808\nm: "a: \\"b\\" # \\u00e9 é\\n"\nn: a:b\no: 007\np: 1_000\nq: No\nr: "true"\n')
        wanted = {"a": 1, "b": -2.5, "c": 1e-9, "d": True, "e": "", "f": "plain text", "g": "1", "h": None, "i": math.inf,
                  "j": -math.inf, "k": "12abc", "l": 9223372036854775808.0, "m": 'a: "b" # é é\n', "n": "a:b", "o": 7,
                  "p": "1_000", "q": "No", "r": "true"}
        got = parse_yaml(text, "x")
        self.assertEqual(wanted, got)
        self.assertEqual([type(value) for value in wanted.values()], [type(value) for value in got.values()])

    def test_lists_and_maps(self):
        text = ('a: [1, two, "three, [3]", [], -0.5]\nb: []\nc: {}\n"d: e":\n  f:\n    - g: 1\n      h:\n        i: [2]\n'
                '    - j: k\n  l:\n    - - 1\n      - [2, 3]\n    - - x: y\n')
        self.assertEqual({"a": [1, "two", "three, [3]", [], -0.5], "b": [], "c": {},
                          "d: e": {"f": [{"g": 1, "h": {"i": [2]}}, {"j": "k"}], "l": [[1, [2, 3]], [{"x": "y"}]]}},
                         parse_yaml(text, "x"))
        self.assertEqual([], parse_yaml("[]\n", "x"))

    def test_refused(self):
        for text, line in (("a: &x 1", 1), ("a: 1\na: 2", 2), ("a: |\n  text", 1), ("a: *x", 1), ("a: !!python/name:os.x y", 1),
                           ("a:\n    b: 1\n  c: 2", 3), ("a: 'b'", 1), ("a: [1, 2", 1), ("a: \"b", 1), ("a", 1),
                           ("a: {b: 1}", 1), ("a: b: c", 1), ("a: 1\n---\nb: 2", 2), ("- 1\n  - 2", 2), ("a: 1 # no", 1),
                           ("a: " + "[" * 5000, 1), ("? a: b", 1), ("a: [1] 2", 1)):
            with self.assertRaisesRegex(strata.Error, f"file.yaml:{line}: ", msg=text[:40]):
                parse_yaml(text, "file.yaml")
        with self.assertRaisesRegex(strata.Error, "nested more than"):
            parse_yaml("\n".join(" " * i + "a:" for i in range(500)), "x")


class Safetensors(unittest.TestCase):
    def setUp(self):
        folder = made.temporary()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "x.safetensors"

    def write(self, header, data=b""):
        text = header if isinstance(header, bytes) else json.dumps(header).encode()
        self.file.write_bytes(len(text).to_bytes(8, "little") + text + data)
        return Tensors(self.file)

    def test_types(self):
        arrays = {"a": np.arange(6, dtype="<f4").reshape(2, 3), "b": np.array([1.5, -2], "<f8"), "c": np.array(7, "<i8"),
                  "d": np.zeros((0, 4), "<f4"), "e": np.array([True, False]), "f": np.array([1, -1], "<f2")}
        names = {"<f4": "F32", "<f8": "F64", "<i8": "I64", "|b1": "BOOL", "<f2": "F16"}
        header, data = {"__metadata__": {"format": "pt"}}, b""
        for name, array in arrays.items():
            header[name] = {"dtype": names[array.dtype.str], "shape": list(array.shape),
                            "data_offsets": [len(data), len(data) + array.nbytes]}
            data += array.tobytes()
        header["g"] = {"dtype": "BF16", "shape": [2], "data_offsets": [len(data), len(data) + 4]}
        tensors = self.write(header, data + b"\x80\x3f\x20\xc0")  # 1.0 and -2.5 as bfloat16
        for name, array in arrays.items():
            self.assertEqual(array.shape, tensors[name].shape)
            self.assertEqual(array.tolist(), tensors[name].tolist())
        self.assertEqual([1.0, -2.5], tensors["g"].tolist())
        self.assertEqual({"format": "pt"}, tensors.metadata)
        self.assertIsInstance(tensors["a"], np.memmap)

    def test_refused(self):
        def one(**changes):
            return {"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8], **changes}}

        for header, data, what in (
            (one(), b"1234567", "truncated"), (one(), b"123456789", "belong to no tensor"),
            (one(dtype="F33"), b"12345678", "unknown type"), (one(dtype=["F32"]), b"12345678", "unknown type"),
            (one(shape=[3]), b"12345678", "another size"), (one(shape=[-2]), b"12345678", "no valid shape"),
            (one(shape=[2.0]), b"12345678", "no valid shape"), (one(data_offsets=[0]), b"12345678", "no valid shape"),
            (one(data_offsets=[8, 0]), b"12345678", "truncated or damaged"), ([], b"", "not an object"),
            (b"{", b"", "not valid JSON"), (b'{"a": 1, "a": 1}', b"", "given twice"),
            ({**one(), "b": one()["a"]}, b"12345678", "overlap"),
            ({**one(), "b": one(data_offsets=[9, 17])["a"]}, b"1" * 17, "leave a gap"),
            ({"__metadata__": {"a": 1}}, b"", "must be strings"), (b"[" * 100000, b"", "not valid JSON"),
        ):
            with self.assertRaisesRegex(strata.Error, f"x.safetensors: .*{what}", msg=header):
                self.write(header, data)
        for content in (b"", b"1234567", (2 ** 63).to_bytes(8, "little") + b"{}"):
            self.file.write_bytes(content)
            with self.assertRaisesRegex(strata.Error, "beyond the end of the file"):
                Tensors(self.file)
        with self.assertRaisesRegex(strata.Error, "cannot read .*missing"):
            Tensors(self.file.with_name("missing"))


if __name__ == "__main__":
    unittest.main()
