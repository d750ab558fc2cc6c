"""The tables, one language each. What stands in one is a guess about people: a word missing in
`goes_on` cuts somebody off, one too many costs them 0.7 s."""
