let begin = i * {{turns}}u;
{{begun}}
for (var turn = 0u; turn < {{turns}}u; turn++) {
    // Past the end the last element is computed again; no element has these bits.
    let i = min(begin + turn, {{elements}} - 1u);
{{body}}
}
{{ended}}
