; scratch.ll -- local memory for workgroup.cl.  OpenCL C has no __local variables outside kernels; LLVM does.
; An element for each work-item of the largest group.

target datalayout = "e-p:32:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir-unknown-unknown"

@scratch1 = internal addrspace(3) global i64 undef, align 8
@scratch32 = internal addrspace(3) global [1024 x i32] undef, align 8
@scratch64 = internal addrspace(3) global [1024 x i64] undef, align 8

define spir_func ptr addrspace(3) @__ventus_scratch1() alwaysinline memory(none) nounwind willreturn {
  ret ptr addrspace(3) @scratch1
}

define spir_func ptr addrspace(3) @__ventus_scratch32() alwaysinline memory(none) nounwind willreturn {
  ret ptr addrspace(3) @scratch32
}

define spir_func ptr addrspace(3) @__ventus_scratch64() alwaysinline memory(none) nounwind willreturn {
  ret ptr addrspace(3) @scratch64
}
