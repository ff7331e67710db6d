"""The nutrition label of a model and the card of a benchmark.

    rows, grades    what a row rests on, and which grade that is (pure)
    compared        what contrast metrics say beside a row (pure)
    label, doubts   `label_of`: nine rows, who was tested, where the label says least (pure)
    floor           what reference bots get on the same metrics (pure)
    audiences       AUDIENCES: the words, read from audiences.yaml; sheet_words those of the drawing
    shown           the label in the words of one audience; words, summary, facts and foot are parts of it (pure)
    picture, scale  the drawing, on a sheet that svg and images write
    card            `provenance_of` and what a card counts (pure)
    render          `render_label`, `render_card`, pages, and CSS_FILE, the path of label.css
    export          the label as plain data for other tools

Nothing is imported here, so that the command's help needs no statistics.
"""
