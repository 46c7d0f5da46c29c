// The audit is tested by planting the faults of published systems: each must be found.
#include "learn/private_audit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "core/random.h"
#include "core/statistics.h"

namespace wald {
namespace {

using Sums = std::vector<std::int64_t>;
constexpr int kRuns = 300;
const PrivateBoost kHow{.epsilon = 4, .delta = 1e-5};

PrivateBoost small_plan(PairKind kind) {
  PrivateBoost how = worst_plan(kHow, kind);
  how.trees = 8;
  return how;
}

// Releases: 0 the target, 1 the columns, then the trees. A tree's sums are pairs.
constexpr int kColumns = 1;

// Noise drawn by a seed, so that a test that has passed passes again; users' audits take the system's.
std::function<void(Entropy::Source&)> repeatable() {
  return [at = std::make_shared<std::uint64_t>(0)](Entropy::Source& source) {
    source = [at](std::span<std::byte> into) {
      const Random random(1, Purpose::Sample);
      for (std::size_t i = 0; i < into.size(); i += 8) {
        const std::uint64_t bits = random.bits((*at)++);
        std::memcpy(into.data() + i, &bits, std::min<std::size_t>(8, into.size() - i));
      }
    };
  };
}

bool refutes(const Arrange& fault, const std::function<void(Entropy::Source&)>& entropy = repeatable(),
             int runs = kRuns, PairKind kind = PairKind::TwoClasses) {
  return audit_pair(small_plan(kind), kind, runs, 1e9, entropy, fault).refuted;
}

// Whatever is learned; three classes take their time.
bool refutes_all(const Arrange& fault, int runs = kRuns) {
  return std::ranges::all_of(pair_kinds(PrivateAlgorithm::Grids), [&](PairKind kind) {
    return refutes(fault, repeatable(), kind == PairKind::SeveralClasses ? runs / 2 : runs, kind);
  });
}

TEST(Audit, LetsTheLearnerPassAndComesNearTheClaim) {
  for (const PairKind kind : pair_kinds(PrivateAlgorithm::Grids)) {
    SCOPED_TRACE(pair_kind_word(kind));
    const bool slow = kind == PairKind::SeveralClasses;
    const PairAudit audit = audit_pair(small_plan(kind), kind, slow ? 500 : 5000, 1e9, repeatable());
    EXPECT_FALSE(audit.refuted);
    EXPECT_LE(audit.lower.epsilon, audit.epsilon);
    EXPECT_GE(audit.lower.epsilon, (slow ? 0.6 : 0.8) * audit.epsilon);
    EXPECT_LE(audit.lower.plain_epsilon, audit.lower.epsilon);
  }
}

// All rows of one party are the canary: told apart as well as one row is where each row is its own, and no better.
TEST(Audit, AttacksAContributorByAllOfItsRows) {
  PrivateBoost how = small_plan(PairKind::Numbers);
  how.max_rows = 4;
  const PairAudit audit = audit_pair(how, PairKind::Numbers, 1500, 1e9, repeatable());
  EXPECT_FALSE(audit.refuted);
  EXPECT_GE(audit.lower.epsilon, 0.7 * audit.epsilon);
  const auto twice = [](Witness& w) {  // as many rows more as are accounted for
    w.before = [](int, Sums&, Sums& canary) {
      for (std::int64_t& v : canary) v *= 2;
    };
  };
  EXPECT_TRUE(audit_pair(how, PairKind::Numbers, kRuns, 1e9, repeatable(), twice).refuted);
}

// The faults below are found among as many runs as refute nothing where there is no fault.
TEST(Audit, RefutesNothingWhereNothingWasPlanted) {
  for (const PairKind kind : pair_kinds(PrivateAlgorithm::Grids)) {
    EXPECT_FALSE(refutes({}, repeatable(), kRuns, kind));
    if (kind == PairKind::SeveralClasses) continue;
    EXPECT_FALSE(refutes({}, repeatable(), 5 * kRuns, kind));
  }
}

TEST(Audit, FindsAFixedNoiseSeed) {
  EXPECT_TRUE(refutes({}, [](Entropy::Source& source) {
    source = [draw = std::uint64_t{0}](std::span<std::byte> into) mutable {
      const Random random(42, Purpose::Sample);
      for (std::size_t i = 0; i + 8 <= into.size(); i += 8) {
        const std::uint64_t bits = random.bits(draw++);
        std::memcpy(into.data() + i, &bits, 8);
      }
    };
  }));
}

TEST(Audit, FindsASeedOf32Bits) {
  const auto short_seed = [] {
    std::uint32_t seed = 0;
    system_entropy(std::as_writable_bytes(std::span(&seed, 1)));
    return Random(seed, Purpose::Sample).bits(0);
  };
  EXPECT_FALSE(check_freshness(short_seed, 400'000).passed);
  const auto system = [] {
    std::uint64_t draw = 0;
    system_entropy(std::as_writable_bytes(std::span(&draw, 1)));
    return draw;
  };
  EXPECT_TRUE(check_freshness(system, 100'000).passed);
}

// It makes the model tell half as much again, which takes more runs to see.
TEST(Audit, FindsHalvedHessianNoise) {
  const Arrange fault = [](Witness& w) {
    w.after = [](int release, const Sums& exact, Noisy& noisy) {
      for (std::size_t i = 1; release > kColumns && i < exact.size(); i += 2)
        noisy.value[i] = exact[i] + (noisy.value[i] - exact[i]) / 2;
    };
  };
  EXPECT_TRUE(refutes(fault, repeatable(), 5 * kRuns));
}

TEST(Audit, FindsHalvedNoise) {
  EXPECT_TRUE(refutes_all([](Witness& w) {
    w.after = [](int release, const Sums& exact, Noisy& noisy) {
      for (std::size_t i = 0; release > kColumns && i < exact.size(); ++i)
        noisy.value[i] = exact[i] + (noisy.value[i] - exact[i]) / 2;
    };
  }));
}

TEST(Audit, FindsThatTheWrongRowWasClipped) {
  EXPECT_TRUE(refutes_all([](Witness& w) {
    w.before = [](int release, Sums&, Sums& canary) {
      for (std::int64_t& v : canary) v *= release > kColumns ? 3 : 1;
    };
  }));
}

TEST(Audit, FindsThresholdsFromTheData) {
  EXPECT_TRUE(refutes_all([](Witness& w) {
    w.after = [](int release, const Sums& exact, Noisy& noisy) {
      if (release == kColumns) noisy.value = exact;
    };
  }));
}

TEST(Audit, FindsAnExactStart) {
  EXPECT_TRUE(refutes_all([](Witness& w) {
    w.after = [](int release, const Sums& exact, Noisy& noisy) {
      if (release == 0) noisy.value = exact;
    };
  }));
}

// The greatest label that occurs: whether the last cell holds anybody.
TEST(Audit, FindsAnExactLabelRange) {
  EXPECT_TRUE(refutes_all([](Witness& w) {
    w.after = [](int release, const Sums& exact, Noisy& noisy) {
      if (release == 0) noisy.value.back() = exact.back();
    };
  }));
}

// The leaf with the steepest mean is picked without noise.
TEST(Audit, FindsAnUnpaidChoiceOfALeaf) {
  EXPECT_TRUE(refutes([](Witness& w) {
    w.after = [](int release, const Sums& exact, Noisy& noisy) {
      if (release <= kColumns) return;
      const auto steepness = [&](std::size_t i) {
        return std::abs(static_cast<double>(exact[i])) / (1 + static_cast<double>(exact[i + 1]));
      };
      std::size_t best = 0;
      for (std::size_t i = 2; i < exact.size(); i += 2)
        if (steepness(i) > steepness(best)) best = i;
      noisy.value[best] = exact[best];
    };
  }));
}

// Each release gets noise for twice the share that was counted.
TEST(Audit, FindsABudgetSpentTwiceOver) {
  const Arrange fault = [](Witness& w) {
    w.after = [](int, const Sums& exact, Noisy& noisy) {
      for (std::size_t i = 0; i < exact.size(); ++i)
        noisy.value[i] = exact[i] + std::llrint(static_cast<double>(noisy.value[i] - exact[i]) / std::sqrt(2.0));
    };
  };
  EXPECT_TRUE(refutes(fault, repeatable(), 5 * kRuns, PairKind::Numbers));
}

// The neighbour has another row in the canary's place, whose vector may point the other way.
TEST(Audit, FindsThatOneRowIsReplacedWhereOneIsClaimedToBeAdded) {
  EXPECT_TRUE(refutes_all(
      [](Witness& w) {
        w.before = [](int, Sums&, Sums& canary) {
          for (std::int64_t& v : canary) v *= 2;
        };
      },
      2 * kRuns));
}

// Half of the published algorithm's epsilon goes to its splits, on which the canary has no influence here.
TEST(Audit, AttacksThePublishedAlgorithmByItsLeaves) {
  const PrivateBoost how = worst_plan({.algorithm = PrivateAlgorithm::DpBoost, .epsilon = 2}, PairKind::Numbers);
  const PairAudit audit = audit_pair(how, PairKind::Numbers, 1500, 1e9, repeatable());
  EXPECT_FALSE(audit.refuted);
  EXPECT_GT(audit.reached(), 0.35 * audit.epsilon);
  EXPECT_LE(audit.reached(), 0.5 * audit.epsilon);
  const PairAudit unclipped = audit_pair(how, PairKind::Numbers, 1500, 1e9, repeatable(), [](Witness& w) {
    w.before = [](int, Sums&, Sums& canary) { canary[0] *= 4; };
  });
  EXPECT_TRUE(unclipped.refuted);
}

// Two normal distributions whose distance is known: mu is bounded by it and comes near it, and what assumes nothing is
// below what the Gaussian curve says.
TEST(Audit, BoundsTheDistanceOfTwoNormalsFromBelow) {
  const Random random(3, Purpose::Sample);
  Evidence without, with;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    without.push_back({normal_quantile(random.unit(2 * i)), 0});
    with.push_back({normal_quantile(random.unit(2 * i + 1)) + 0.7, 0});
  }
  const Lower lower = lower_bound(without, with, 1e-5, 0.95);
  EXPECT_LT(lower.mu, 0.7);
  EXPECT_GT(lower.mu, 0.65);
  EXPECT_GT(lower.plain_epsilon, 1);
  EXPECT_LT(lower.plain_epsilon, lower.epsilon);
}

// An event that never happens in one of the worlds tells it for certain, however seldom it happens in the other.
TEST(Audit, MakesMuchOfWhatHappensInOneWorldAlone) {
  Evidence without(2000, {0.0}), with(2000, {0.0});
  for (std::size_t i = 0; i < with.size(); i += 5) with[i] = {1.0};
  EXPECT_GT(lower_bound(without, with, 1e-5, 0.95).plain_epsilon, 4);
  EXPECT_GT(lower_bound(without, with, 1e-5, 0.95).mu, 1.8);
}

TEST(Audit, ProportionsAreThoseOfClopperAndPearson) {
  EXPECT_NEAR(proportion_at_least(5, 10, 0.975), 0.18709, 1e-4);  // tabulated
  EXPECT_NEAR(proportion_at_most(5, 10, 0.975), 0.81291, 1e-4);
  EXPECT_NEAR(proportion_at_most(0, 100, 0.95), 1 - std::pow(0.05, 0.01), 1e-9);
}

TEST(Audit, AHundredRightGuessesRefuteEpsilonThree) {
  const double epsilon = one_run_epsilon(100, 100, 200, 1e-6, 0.95);
  EXPECT_GT(epsilon, 3.4);
  EXPECT_LT(epsilon, 3.6);
  EXPECT_LT(one_run_epsilon(50, 100, 200, 1e-6, 0.95), 0.01);
}

}  // namespace
}  // namespace wald
