const auto {{name}} = [&](u32 i) -> {{ty}} { return i < {{numel}} ? {{ty}}({{value}}) : {{ty}}(0); };
