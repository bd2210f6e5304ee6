const auto check_index = [=](i32 index, i32 extent) { return checked_index(index, extent, &{{status}}); };
