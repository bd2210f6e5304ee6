        for (var at = lane; at < {{tile}}u * {{vectors}}u; at += 64u) {
            let row = min(tile + at / {{vectors}}u, last);
            tile_{{name}}[at] = load_{{name}}({{name}}_base + row * {{row}}, at % {{vectors}}u, {{column}});
        }
