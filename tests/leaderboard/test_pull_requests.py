"""The recipe for pull requests: what it grants, and that it lets nothing through but new submissions."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RECIPE = ROOT / "examples" / "leaderboard" / "verify.yml"


@pytest.fixture(scope="module")
def recipe():
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load(RECIPE.read_text())


def test_it_grants_nothing(recipe):
    # YAML reads the key `on` as true.
    assert list(recipe[True]) == ["pull_request"]
    assert recipe["permissions"] == {"contents": "read"}
    text = RECIPE.read_text()
    assert "secrets." not in text
    assert "pull_request.title" not in text
    steps = recipe["jobs"]["verify"]["steps"]
    assert all(step["with"]["persist-credentials"] is False for step in steps if "checkout" in step.get("uses", ""))


def git(folder, *words):
    done = subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("files", "passes"),
    [
        ({"submissions/mine/submission.yaml": "a", "submissions/mine/trajectories.jsonl": "b"}, True),
        ({"submissions/mine/submission.yaml": "a", "boards/small.yaml": "easier"}, False),
        ({"entries/small/mine/entry.json": "{}"}, False),
        ({"submissions/first/submission.yaml": "changed"}, False),
        ({"submissions/a b/submission.yaml": "a"}, False),
        ({"submissions/mine/more/submission.yaml": "a"}, False),
        ({".github/workflows/verify.yml": "x"}, False),
        ({"submissions/mine/conftest.py": "x"}, False),
        ({"submissions/mine/submission.yaml": None}, False),
    ],
)
def test_only_new_submissions(recipe, tmp_path, files, passes):
    (step,) = [s for s in recipe["jobs"]["verify"]["steps"] if s.get("name", "").startswith("Only new files")]
    repository = tmp_path / "proposed"
    repository.mkdir()
    git(repository, "init", "-q")
    git(repository, "config", "user.email", "a@example.org")
    git(repository, "config", "user.name", "A")

    def commit(contents):
        for name, text in contents.items():
            path = repository / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if text is None:
                path.symlink_to("/etc/hostname")
            else:
                path.write_text(text)
        git(repository, "add", "-A", "-f")
        git(repository, "commit", "-q", "-m", "x")
        return git(repository, "rev-parse", "HEAD")

    base = commit({"boards/small.yaml": "hard", "submissions/first/submission.yaml": "first"})
    commit(files)
    script = step["run"].replace("${{ github.event.pull_request.base.sha }}", base)
    done = subprocess.run(["bash", "-e", "-c", script], cwd=repository, capture_output=True, text=True)
    assert (done.returncode == 0) is passes, done.stdout + done.stderr
