"""Sheets on which people give points: experts to the relevance of metrics, young people to openings."""
