# Every table and figure of a shard of the recipes, from files to pictures: see papers.py.
exec python3 "$(dirname "$0")/papers.py" mlrf
