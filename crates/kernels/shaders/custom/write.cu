const auto set_{{name}} = [&](u32 i, {{ty}} value) {
    if (i >= {{numel}}) return;
{{store}}
};
