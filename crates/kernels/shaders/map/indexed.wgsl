let along = u32({{index}});
if (along < {{extent}}) {
    let stored = {{store_start}} + along * {{stride}};
{{store}}
}
