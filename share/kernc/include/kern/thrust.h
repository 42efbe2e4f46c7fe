/* thrust.h: Thrust as the host's code names it. Such code is read and not run, so its vectors and algorithms
 * are declarations; a kernel that calls an algorithm is told what to write. Functions of numbers are there in
 * kernels.
 */
#ifndef __KERN_THRUST_H__
#define __KERN_THRUST_H__

#include "../cuda_runtime.h"

namespace thrust
{

/* ---- functions of numbers ---------------------------------------------------------------------------- */

#define __KERN_FUNCTOR(name, R, parameters, result)                                                          \
    template <class T = void> struct name {                                                                  \
        __KERN_MEMBER R operator() parameters const { return result; }                                       \
    };
#define __KERN_X(name, R, result) __KERN_FUNCTOR(name, R, (const T &a, const T &b), result)
__KERN_X(plus, T, a + b)
__KERN_X(minus, T, a - b)
__KERN_X(multiplies, T, a *b)
__KERN_X(divides, T, a / b)
__KERN_X(modulus, T, a % b)
__KERN_X(minimum, T, b < a ? b : a)
__KERN_X(maximum, T, a < b ? b : a)
__KERN_X(bit_and, T, a &b)
__KERN_X(bit_or, T, a | b)
__KERN_X(bit_xor, T, a ^ b)
__KERN_X(less, bool, a < b)
__KERN_X(greater, bool, b < a)
__KERN_X(less_equal, bool, !(b < a))
__KERN_X(greater_equal, bool, !(a < b))
__KERN_X(equal_to, bool, a == b)
__KERN_X(not_equal_to, bool, !(a == b))
__KERN_X(logical_and, bool, a &&b)
__KERN_X(logical_or, bool, a || b)
#undef __KERN_X
__KERN_FUNCTOR(negate, T, (const T &a), -a)
__KERN_FUNCTOR(identity, T, (const T &a), a)
__KERN_FUNCTOR(square, T, (const T &a), a *a)
__KERN_FUNCTOR(logical_not, bool, (const T &a), !a)
#undef __KERN_FUNCTOR
template <class A, class B> struct pair {
    A first;
    B second;
};
template <class A, class B> __KERN_INLINE pair<A, B> make_pair(A a, B b) { return {a, b}; }
template <class A, class B> struct unary_function {
};
template <class A, class B, class R> struct binary_function {
};

/* ---- the host's memory ------------------------------------------------------------------------------- */

template <class T> struct device_ptr {
    T *at;
    typedef T value_type;
    device_ptr(T * = nullptr);
    T *get() const;
    T &operator*() const;
    T &operator[](long) const;
    device_ptr operator+(long) const;
    device_ptr operator-(long) const;
    long operator-(device_ptr) const;
    device_ptr &operator++();
    bool operator==(device_ptr) const;
    bool operator!=(device_ptr) const;
};
template <class T> struct __vector {
    typedef T value_type;
    typedef device_ptr<T> iterator, pointer;
    typedef T &reference;
    __vector();
    explicit __vector(size_t);
    __vector(size_t, const T &);
    template <class I> __vector(I, I);
    template <class V> __vector(const V &);
    template <class V> __vector &operator=(const V &);
    iterator begin() const;
    iterator end() const;
    iterator cbegin() const;
    iterator cend() const;
    iterator data() const;
    T &operator[](size_t) const;
    T &front() const;
    T &back() const;
    size_t size() const;
    bool empty() const;
    void push_back(const T &);
    void resize(size_t, const T & = T());
    void reserve(size_t);
    void clear();
    void swap(__vector &);
    void shrink_to_fit();
    template <class... A> void assign(A...);
};
template <class T, class = void> struct host_vector : __vector<T> {
    using __vector<T>::__vector;
};
template <class T, class = void> struct device_vector : __vector<T> {
    using __vector<T>::__vector;
};
template <class T> T *raw_pointer_cast(device_ptr<T>);
template <class T> T *raw_pointer_cast(T *);
template <class T> device_ptr<T> device_pointer_cast(T *);
template <class T> device_ptr<T> device_malloc(size_t);
template <class T> void device_free(device_ptr<T>);
template <class T> struct counting_iterator : device_ptr<T> {
    counting_iterator(T = T());
};
template <class T> struct constant_iterator : device_ptr<T> {
    constant_iterator(T = T());
};
template <class T> counting_iterator<T> make_counting_iterator(T);
template <class T> constant_iterator<T> make_constant_iterator(T);

/* ---- algorithms -------------------------------------------------------------------------------------- */

struct __policy {
    template <class... A> __KERN_MEMBER const __policy &on(A...) const { return *this; }
    template <class... A> __KERN_MEMBER const __policy &operator()(A...) const { return *this; }
};
constexpr __policy seq{}, device{}, host{}, par{};
namespace cuda
{
using thrust::par;
}

/* What an algorithm gives: a number, or a place. */
struct __result {
    template <class T> operator T() const;
    template <class T> long operator-(const T &) const;
    double operator*() const;
};
#define __KERN_X(name)                                                                                       \
    template <class... A> __attribute__((host)) __result name(A &&...);                                      \
    template <class... A>                                                                                    \
    __attribute__((device,                                                                                   \
                   unavailable("kernels have no algorithms of thrust; write the loop, or use those of "      \
                               "cub::BlockReduce, cub::BlockScan and cooperative_groups"))) __result         \
    name(A &&...);
__KERN_X(adjacent_difference)
__KERN_X(all_of)
__KERN_X(any_of)
__KERN_X(binary_search)
__KERN_X(copy)
__KERN_X(copy_if)
__KERN_X(copy_n)
__KERN_X(count)
__KERN_X(count_if)
__KERN_X(equal)
__KERN_X(exclusive_scan)
__KERN_X(exclusive_scan_by_key)
__KERN_X(fill)
__KERN_X(fill_n)
__KERN_X(find)
__KERN_X(find_if)
__KERN_X(for_each)
__KERN_X(for_each_n)
__KERN_X(gather)
__KERN_X(generate)
__KERN_X(inclusive_scan)
__KERN_X(inclusive_scan_by_key)
__KERN_X(inner_product)
__KERN_X(is_sorted)
__KERN_X(lower_bound)
__KERN_X(max_element)
__KERN_X(merge)
__KERN_X(min_element)
__KERN_X(none_of)
__KERN_X(partition)
__KERN_X(reduce)
__KERN_X(reduce_by_key)
__KERN_X(remove_if)
__KERN_X(reverse)
__KERN_X(scatter)
__KERN_X(sequence)
__KERN_X(sort)
__KERN_X(sort_by_key)
__KERN_X(stable_partition)
__KERN_X(stable_sort)
__KERN_X(stable_sort_by_key)
__KERN_X(tabulate)
__KERN_X(transform)
__KERN_X(transform_exclusive_scan)
__KERN_X(transform_inclusive_scan)
__KERN_X(transform_reduce)
__KERN_X(uninitialized_fill)
__KERN_X(unique)
__KERN_X(unique_by_key)
__KERN_X(upper_bound)
#undef __KERN_X

} // namespace thrust

#endif
