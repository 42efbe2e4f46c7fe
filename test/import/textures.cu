// Textures: width, height, depth and mode, then the texels; 1: linear, 2: places from 0 to 1, 4: wraps around, 8: 0 outside.
// NEEDS: clang-19

__global__ void sample(cudaTextureObject_t point, cudaTextureObject_t linear, float *o)
{
    o[0] = tex2D<float>(point, 1.9f, 0.1f);
    o[1] = tex2D<float>(point, -5.0f, 7.0f);
    o[2] = tex1Dfetch<float>(point, 4);
    o[3] = tex2D<float>(linear, 1.0f, 0.5f);
    o[4] = tex2D<float>(linear, 1.0f, 1.0f);
    o[5] = tex2D<float>(linear, 0.0f, 0.0f);
    float v;
    tex2D(&v, linear, 1.25f, 0.5f);
    o[6] = v;
}
// kern: launch sample(point = {3, 2, 1, 0, 10, 20, 30, 40, 50, 60}, linear = {3, 2, 1, 1, 10, 20, 30, 40, 50, 60}, o = zeros(7)) block(1) show(o)
// RUN: %kernc run %s --launch=sample
// OUT: o[0..7]: 20 40 50 15 30 10 17.5

__global__ void modes(cudaTextureObject_t wrap, cudaTextureObject_t border, cudaTextureObject_t deep, float *o)
{
    o[0] = tex1D<float>(wrap, 1.25f) + tex1D<float>(wrap, -0.25f) * 10;
    o[1] = tex1D<float>(border, -1.0f) + tex1D<float>(border, 1.0f);
    o[2] = tex3D<float>(deep, 1.0f, 0.5f, 1.0f);
    o[3] = tex3D<float>(deep, 0.5f, 0.5f, 0.5f);
}
// kern: launch modes(wrap = {4, 1, 1, 6, 1, 2, 3, 4}, border = {2, 1, 1, 8, 5, 6}, deep = {2, 1, 2, 1, 1, 3, 5, 11}, o = zeros(4)) block(1) show(o)
// RUN: %kernc run %s --launch=modes
// OUT: o[0..4]: 42 6 5 1

// References: variables that a launch gives.
texture<float, 1, cudaReadModeElementType> line;
texture<int> table;
texture<float, cudaTextureType2D> picture;
__global__ void references(float *o)
{
    int i = threadIdx.x;
    o[i] = tex1Dfetch(line, i) + tex1Dfetch(table, 2) + tex2D(picture, 1.5f, 0.5f);
}
void host(const float *device, float *o)
{
    line.filterMode = cudaFilterModePoint;
    line.addressMode[0] = cudaAddressModeClamp;
    cudaBindTexture(0, line, device, 16);
    references<<<1, 4>>>(o);
    cudaUnbindTexture(line);
}
// kern: launch references(o = zeros(4), line = {1, 2, 3, 4}, table = {10, 20, 30}, picture = {2, 1, 1, 0, 100, 200}) block(4) show(o)
// RUN: %kernc run %s --launch=references
// OUT: o[0..4]: 231 232 233 234
