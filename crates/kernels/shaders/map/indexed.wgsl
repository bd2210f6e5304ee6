let along = u32({{index}});
if (along < {{extent}}) {
    let stored = {{place}} + along * {{stride}};
{{store}}
}
