#pragma once
namespace wald {
inline constexpr const char* kVersion = "0.1.0";
}
