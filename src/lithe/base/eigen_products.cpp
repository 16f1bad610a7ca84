#include "lithe/base/eigen_kernels.h"

namespace Eigen::internal {
namespace {

using ProductTarget = Map<MatrixXd, Unaligned, OuterStride<>>;

template <int Order>
ProductMap<Order> mapped(const ProductFactor& f) {
  return ProductMap<Order>(f.data, f.rows, f.cols, OuterStride<>(f.stride));
}

// Calls use(lhs, rhs) with maps of both factors.
template <class Use>
void with_factors(const ProductFactor& lhs, const ProductFactor& rhs, const Use& use) {
  if (lhs.row_major) {
    if (rhs.row_major) return use(mapped<RowMajor>(lhs), mapped<RowMajor>(rhs));
    return use(mapped<RowMajor>(lhs), mapped<ColMajor>(rhs));
  }
  if (rhs.row_major) return use(mapped<ColMajor>(lhs), mapped<RowMajor>(rhs));
  use(mapped<ColMajor>(lhs), mapped<ColMajor>(rhs));
}

ProductFactor transposed(const ProductFactor& f) { return {f.data, f.cols, f.rows, f.stride, !f.row_major}; }
ProductResult transposed(const ProductResult& r) { return {r.data, r.cols, r.rows, r.stride, !r.row_major}; }

template <class Lhs, class Rhs, class Assign>
void by_coefficients(ProductTarget& target, const Lhs& lhs, const Rhs& rhs, double scale, const Assign& assign) {
  if (scale == 1)
    call_restricted_packet_assignment_no_alias(target, lhs.lazyProduct(rhs), assign);
  else
    call_restricted_packet_assignment_no_alias(target, scale * lhs.lazyProduct(rhs), assign);
}

}  // namespace

void add_scaled_product(const ProductResult& result, const ProductFactor& lhs, const ProductFactor& rhs, double scale) {
  if (result.row_major) return add_scaled_product(transposed(result), transposed(rhs), transposed(lhs), scale);
  ProductTarget target(result.data, result.rows, result.cols, OuterStride<>(result.stride));
  with_factors(lhs, rhs, [&](const auto& a, const auto& b) {
    using A = std::decay_t<decltype(a)>;
    using B = std::decay_t<decltype(b)>;
    generic_product_impl<A, B, DenseShape, DenseShape, GemmProduct>::scaleAndAddTo(target, a, b, scale);
  });
}

void multiply(const ProductResult& result, const ProductFactor& lhs, const ProductFactor& rhs, double scale,
              ProductUse use) {
  if (result.row_major) return multiply(transposed(result), transposed(rhs), transposed(lhs), scale, use);
  ProductTarget target(result.data, result.rows, result.cols, OuterStride<>(result.stride));
  if (rhs.rows + result.rows + result.cols >= EIGEN_GEMM_TO_COEFFBASED_THRESHOLD || rhs.rows == 0) {
    if (use == ProductUse::assign) target.setZero();
    return add_scaled_product(result, lhs, rhs, use == ProductUse::subtract ? -scale : scale);
  }
  with_factors(lhs, rhs, [&](const auto& a, const auto& b) {
    if (use == ProductUse::assign) return by_coefficients(target, a, b, scale, assign_op<double, double>());
    if (use == ProductUse::add) return by_coefficients(target, a, b, scale, add_assign_op<double, double>());
    by_coefficients(target, a, b, scale, sub_assign_op<double, double>());
  });
}

}  // namespace Eigen::internal
