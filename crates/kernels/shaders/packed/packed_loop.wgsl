let begin = i * {{turns}}u;
{{begun}}
for (var turn = 0u; turn < {{turns}}u; turn++) {
    // Past the end the last element is computed once more, for bits that belong to none.
    let i = min(begin + turn, {{elements}} - 1u);
{{body}}
}
{{ended}}
