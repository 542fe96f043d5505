"""Words of a text: tokens, stems, sentences. It knows nothing of collections; whoever reads texts takes it."""
