__kernel void scale(__global float4 *v, float by)
{
    int i = get_global_id(0);
    v[i] = fmin(v[i] * by, 1.0f);
}
