"""Executes a notebook in its kernel, with this Python: run_notebook.py FILE. Fails if a cell does, if a cell of code
prints nothing at all, or if the file keeps outputs (they would go out of date)."""
import os
import sys

os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # says nothing about its debugger

import nbclient
import nbformat
from jupyter_client.kernelspec import KernelSpecManager

notebook = nbformat.read(sys.argv[1], as_version=4)
nbformat.validate(notebook)
code = [cell for cell in notebook.cells if cell.cell_type == "code"]
kept = [cell.source for cell in code if cell.outputs or cell.execution_count]
if kept:
    sys.exit(f"{sys.argv[1]}: clear the outputs of:\n{kept[0]}")


class ThisPython(KernelSpecManager):
    """The kernel of the Python that runs this, wherever kernels are installed."""

    def get_kernel_spec(self, kernel_name):
        spec = super().get_kernel_spec(kernel_name)
        spec.argv = [sys.executable, *spec.argv[1:]]
        return spec


client = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": os.getcwd()}})
client.km = client.create_kernel_manager()
client.km.kernel_spec_manager = ThisPython()
client.execute()
silent = [cell.source for cell in code if not cell.outputs and not cell.source.startswith("import")]
if silent:
    sys.exit(f"{sys.argv[1]}: shows nothing:\n{silent[0]}")
print(f"{len(code)} cells ran")
