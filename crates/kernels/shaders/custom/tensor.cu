const bool {{name}}_given = {{given}};
const auto {{name}}_numel = [&]() -> u32 { return {{numel}}; };
const auto {{name}}_rank = [&]() -> u32 { return {{rank}}; };
const auto {{name}}_size = [&](u32 d) -> u32 { return d < {{rank}} ? words.at[{{start}} + d] : 1u; };
const auto {{name}}_stride = [&](u32 d) -> u32 { return d < {{rank}} ? words.at[{{start}} + {{rank}} + d] : 0u; };
