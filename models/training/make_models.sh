#!/usr/bin/env bash
# Makes the two networks again from nothing but this folder's code.
#
#   models/training/make_models.sh DATA [TRACED RASTER PIECES_MINUTES PLAYMAT_MINUTES [OUT]]
#
# DATA is a folder outside the repository for pictures and checkpoints (about 0.2 MB a picture). Every step goes on
# where a stopped run was. Run it on an otherwise idle machine: on two cores about a second a raster picture and six a
# traced one. The ONNX files go to OUT (the folder models/), the small checkpoints and logs to OUT/training.
set -euo pipefail

code=$(cd "$(dirname "$0")" && pwd)
data=$(mkdir -p "$1" && cd "$1" && pwd)
traced=${2:-600} raster=${3:-6000} pieces_minutes=${4:-120} playmat_minutes=${5:-60}
out=$(mkdir -p "${6:-$code/..}/training" && cd "${6:-$code/..}" && pwd)

[ -d "$data/venv" ] || { python3 -m venv "$data/venv" && "$data/venv/bin/pip" install -q -r "$code/requirements.txt"; }
[ -d "$data/venv-traced" ] || { python3 -m venv "$data/venv-traced" && "$data/venv-traced/bin/pip" install -q -r "$code/requirements-traced.txt"; }
python=$data/venv/bin/python

[ -s "$data/heaps.json" ] || "$python" "$code/heaps.py" --out "$data/heaps.json" --count 400 --seed 1
"$data/venv-traced/bin/python" "$code/render_blender.py" --out "$data/traced" --heaps "$data/heaps.json" --count "$traced" --seed 100
"$python" "$code/truth.py" --folder "$data/traced"
"$python" "$code/render_gl.py" --out "$data/raster" --heaps "$data/heaps.json" --count "$raster" --seed 200

for task in pieces playmat; do
    minutes=${task}_minutes
    "$python" "$code/train.py" --task $task --data "$data/traced" "$data/raster" --weights 0.4 0.6 --minutes "${!minutes}" --workers 2 --out "$data/run"
    "$python" "$code/export.py" --task $task --checkpoint "$data/run/$task.pt" --out "$out/$task.onnx" --small "$out/training/$task.pt"
    cp "$data/run/$task.csv" "$out/training/$task.csv"
done
(cd "$out" && sha256sum pieces.onnx playmat.onnx > SHA256SUMS)
