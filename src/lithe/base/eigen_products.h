// Eigen's products of dynamic matrices of doubles, compiled once.
//
// For each pair of expressions, result and sign Eigen compiles a product by coefficients, two by vectors and one by
// blocks, and again for each factor that is a product itself. Here factors that lie in memory are passed on as such,
// others are copied there, as Eigen's product by blocks does; eigen_products.cpp multiplies by Eigen's own code.
// Included by eigen_kernels.h alone.
#pragma once

#include <Eigen/Core>
#include <type_traits>

namespace Eigen::internal {

// A matrix in memory whose columns, or rows, are contiguous.
struct ProductFactor {
  const double* data;
  Index rows, cols, stride;
  bool row_major;
};
struct ProductResult {
  double* data;
  Index rows, cols, stride;
  bool row_major;
};

// result = or += or -= scale (lhs rhs), of small matrices by coefficients.
enum class ProductUse { assign, add, subtract };
void multiply(const ProductResult& result, const ProductFactor& lhs, const ProductFactor& rhs, double scale,
              ProductUse use);
// result += scale (lhs rhs), of any size by vectors or blocks.
void add_scaled_product(const ProductResult& result, const ProductFactor& lhs, const ProductFactor& rhs, double scale);

// What the kernels themselves multiply, by Eigen's own code.
template <int Order>
using ProductMap = Map<const Matrix<double, Dynamic, Dynamic, Order>, Unaligned, OuterStride<>>;
template <class X>
inline constexpr bool is_product_map =
    std::is_same_v<X, ProductMap<ColMajor>> || std::is_same_v<X, ProductMap<RowMajor>>;

template <class X>
inline constexpr bool is_dynamic_factor = std::is_same_v<typename traits<X>::Scalar, double>&& X::RowsAtCompileTime ==
                                          Dynamic&& X::ColsAtCompileTime == Dynamic;
template <class Lhs, class Rhs>
concept DynamicProduct =
    is_dynamic_factor<Lhs> && is_dynamic_factor<Rhs> && !is_product_map<Lhs> && !is_product_map<Rhs>;

template <class Lhs, class Rhs>
requires DynamicProduct<Lhs, Rhs>
struct generic_product_impl<Lhs, Rhs, DenseShape, DenseShape, GemmProduct>
    : generic_product_impl_base<Lhs, Rhs, generic_product_impl<Lhs, Rhs, DenseShape, DenseShape, GemmProduct>> {
  // Itself where it lies in memory, otherwise a copy.
  template <class X>
  using InMemory = typename add_const_on_value_type<typename blas_traits<X>::DirectLinearAccessType>::type;

  template <class X>
  static ProductFactor factor(const X& x) {
    return {x.data(), x.rows(), x.cols(), x.outerStride(), bool(int(X::Flags) & RowMajorBit)};
  }

  template <class Dst>
  static ProductResult result(Dst& dst) {
    return {dst.data(), dst.rows(), dst.cols(), dst.outerStride(), bool(int(Dst::Flags) & RowMajorBit)};
  }
  // Calls use(result), with a copy of one that is not contiguous.
  template <class Dst, class Use>
  static void with_result(Dst& dst, const Use& use) {
    if constexpr (bool(int(Dst::Flags) & DirectAccessBit) && int(inner_stride_at_compile_time<Dst>::ret) == 1) {
      use(result(dst));
    } else {
      typename Dst::PlainObject copy(dst);
      use(result(copy));
      dst = copy;
    }
  }

  template <class Dst>
  static void apply(Dst& dst, const Lhs& lhs, const Rhs& rhs, ProductUse use) {
    InMemory<Lhs> a = blas_traits<Lhs>::extract(lhs);
    InMemory<Rhs> b = blas_traits<Rhs>::extract(rhs);
    const double scale = combine_scalar_factors<double>(lhs, rhs);
    with_result(dst, [&](const ProductResult& into) { multiply(into, factor(a), factor(b), scale, use); });
  }
  template <class Dst>
  static void evalTo(Dst& dst, const Lhs& lhs, const Rhs& rhs) {
    apply(dst, lhs, rhs, ProductUse::assign);
  }
  template <class Dst>
  static void addTo(Dst& dst, const Lhs& lhs, const Rhs& rhs) {
    apply(dst, lhs, rhs, ProductUse::add);
  }
  template <class Dst>
  static void subTo(Dst& dst, const Lhs& lhs, const Rhs& rhs) {
    apply(dst, lhs, rhs, ProductUse::subtract);
  }
  template <class Dst>
  static void scaleAndAddTo(Dst& dst, const Lhs& lhs, const Rhs& rhs, const double& alpha) {
    InMemory<Lhs> a = blas_traits<Lhs>::extract(lhs);
    InMemory<Rhs> b = blas_traits<Rhs>::extract(rhs);
    const double scale = combine_scalar_factors(alpha, lhs, rhs);
    with_result(dst, [&](const ProductResult& into) { add_scaled_product(into, factor(a), factor(b), scale); });
  }
};

}  // namespace Eigen::internal
