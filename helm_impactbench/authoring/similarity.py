"""How alike texts are: TF-IDF cosine (scikit-learn). Deterministic, without a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel


class Diversity(BaseModel):
    """How different the texts of a set are; cosines from 0 (nothing shared) to 1 (the same)."""

    texts: int
    mean_similarity: float
    """Mean cosine over all pairs."""
    max_similarity: float
    """Largest cosine of any pair."""


def cosines(texts: Sequence[str]) -> Any:
    """Return the matrix of cosines between texts (numpy, n x n)."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.metrics.pairwise import cosine_similarity

    vectorizer = TfidfVectorizer(sublinear_tf=True, stop_words="english")
    # A text of stop words alone has no vector; the placeholder keeps the vocabulary from being empty.
    return cosine_similarity(vectorizer.fit_transform([f"{text} placeholder" for text in texts]))


def near_duplicates(texts: Sequence[str], threshold: float) -> list[tuple[int, int, float]]:
    """Return (first, second, cosine) for pairs of texts with a cosine of `threshold` or more, first < second."""
    if len(texts) < 2:
        return []
    matrix = cosines(texts)
    return [(i, j, float(matrix[i, j])) for j in range(len(texts)) for i in range(j) if matrix[i, j] >= threshold]


def diversity(texts: Sequence[str]) -> Diversity:
    """Return the diversity of texts; 0 for both figures when there are fewer than two."""
    if len(texts) < 2:
        return Diversity(texts=len(texts), mean_similarity=0.0, max_similarity=0.0)
    matrix = cosines(texts)
    pairs = [float(matrix[i, j]) for j in range(len(texts)) for i in range(j)]
    return Diversity(
        texts=len(texts), mean_similarity=round(sum(pairs) / len(pairs), 4), max_similarity=round(max(pairs), 4)
    )
