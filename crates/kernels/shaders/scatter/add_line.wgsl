        let result = combine({{load_output}}, {{load}});
        {{store}}
