// What programs put on a timeline, by events, in milliseconds: a pipeline of chunks (copy in, kernel, copy out) in
// one stream and in several, a graph of it, small kernels side by side, many tiny launches. The least of five;
// with the argument `once`: of one.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CK(x) do{cudaError_t e=(x); if(e!=cudaSuccess){fprintf(stderr,"%s:%d %s\n",__FILE__,__LINE__,cudaGetErrorString(e));exit(1);} }while(0)
constexpr int CHUNKS=8, STREAMS=4;
constexpr size_t CHUNK=(size_t)1<<20; // floats
__global__ void work(float*p,int rounds){
  size_t i=blockIdx.x*(size_t)blockDim.x+threadIdx.x; float v=p[i];
  for(int k=0;k<rounds;k++) v=v*1.0001f+0.5f;
  p[i]=v;
}
__global__ void tiny(int*p){ p[threadIdx.x]+=1; }
static cudaStream_t streams[STREAMS];
static float *host,*device;
static cudaEvent_t first,last;
static int repetitions=5;
static void chunk(int c,int rounds,cudaStream_t s){
  CK(cudaMemcpyAsync(device+c*CHUNK,host+c*CHUNK,CHUNK*4,cudaMemcpyHostToDevice,s));
  work<<<CHUNK/256,256,0,s>>>(device+c*CHUNK,rounds);
  CK(cudaMemcpyAsync(host+c*CHUNK,device+c*CHUNK,CHUNK*4,cudaMemcpyDeviceToHost,s));
}
// All streams begin behind the first event and the last one waits for all.
template<typename F> static void measure(const char*what,int used,F f){
  float best=0;
  for(int i=0;i<repetitions;i++){
    float ms; cudaEvent_t done;
    CK(cudaDeviceSynchronize()); CK(cudaEventRecord(first,streams[0]));
    for(int s=1;s<used;s++) CK(cudaStreamWaitEvent(streams[s],first,0));
    f();
    for(int s=1;s<used;s++){ CK(cudaEventCreateWithFlags(&done,cudaEventDisableTiming)); CK(cudaEventRecord(done,streams[s])); CK(cudaStreamWaitEvent(streams[0],done,0)); CK(cudaEventDestroy(done)); }
    CK(cudaEventRecord(last,streams[0])); CK(cudaEventSynchronize(last)); CK(cudaEventElapsedTime(&ms,first,last));
    best=i==0||ms<best?ms:best;
  }
  printf("%s,%.4f\n",what,best);
}
int main(int c,char**){
  if(c>1) repetitions=1;
  int*counts; CK(cudaMalloc(&device,CHUNKS*CHUNK*4)); CK(cudaMallocHost(&host,CHUNKS*CHUNK*4)); CK(cudaMalloc(&counts,4096));
  CK(cudaEventCreate(&first)); CK(cudaEventCreate(&last));
  for(auto&s:streams) CK(cudaStreamCreateWithFlags(&s,cudaStreamNonBlocking));
  for(size_t i=0;i<CHUNKS*CHUNK;i++) host[i]=1;
  const int rounds=1000;
  measure("copies in, one stream",1,[&]{ for(int c=0;c<CHUNKS;c++) CK(cudaMemcpyAsync(device+c*CHUNK,host+c*CHUNK,CHUNK*4,cudaMemcpyHostToDevice,streams[0])); });
  measure("kernels, one stream",1,[&]{ for(int c=0;c<CHUNKS;c++) work<<<CHUNK/256,256,0,streams[0]>>>(device+c*CHUNK,rounds); });
  measure("kernels, four streams",STREAMS,[&]{ for(int c=0;c<CHUNKS;c++) work<<<CHUNK/256,256,0,streams[c%STREAMS]>>>(device+c*CHUNK,rounds); });
  measure("pipeline, one stream",1,[&]{ for(int c=0;c<CHUNKS;c++) chunk(c,rounds,streams[0]); });
  measure("pipeline, four streams",STREAMS,[&]{ for(int c=0;c<CHUNKS;c++) chunk(c,rounds,streams[c%STREAMS]); });
  measure("kernels of 16 blocks, one stream",1,[&]{ for(int c=0;c<CHUNKS;c++) work<<<16,256,0,streams[0]>>>(device+c*CHUNK,10000); });
  measure("kernels of 16 blocks, four streams",STREAMS,[&]{ for(int c=0;c<CHUNKS;c++) work<<<16,256,0,streams[c%STREAMS]>>>(device+c*CHUNK,10000); });
  measure("1000 tiny launches",1,[&]{ for(int i=0;i<1000;i++) tiny<<<1,32,0,streams[0]>>>(counts); });
  cudaGraph_t graph; cudaGraphExec_t runs; cudaEvent_t fork,join[STREAMS];
  CK(cudaEventCreateWithFlags(&fork,cudaEventDisableTiming));
  for(auto&j:join) CK(cudaEventCreateWithFlags(&j,cudaEventDisableTiming));
  CK(cudaStreamBeginCapture(streams[0],cudaStreamCaptureModeGlobal)); CK(cudaEventRecord(fork,streams[0]));
  for(int s=1;s<STREAMS;s++) CK(cudaStreamWaitEvent(streams[s],fork,0));
  for(int c=0;c<CHUNKS;c++) chunk(c,rounds,streams[c%STREAMS]);
  for(int s=1;s<STREAMS;s++){ CK(cudaEventRecord(join[s],streams[s])); CK(cudaStreamWaitEvent(streams[0],join[s],0)); }
  CK(cudaStreamEndCapture(streams[0],&graph)); CK(cudaGraphInstantiate(&runs,graph,0));
  measure("pipeline as a graph",1,[&]{ CK(cudaGraphLaunch(runs,streams[0])); });
}
