fn set_{{name}}(i: u32, value: {{ty}}) {
    if (i >= {{numel}}) {
        return;
    }
{{store}}
}
