/* double_tables.h -- constants of the functions of binary64, computed with 460 decimal digits. */
#ifndef DOUBLE_TABLES_H
#define DOUBLE_TABLES_H

/* 64 zeros, then the bits of 2/pi after the binary point */
static const __constant ulong TWO_OVER_PI[20] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
    0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
    0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
    0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
};

/* 2^16 / (1 + j/64), rounded */
static const __constant ushort RECIPROCAL[65] = {
    0x0000, 0xfc10, 0xf83e, 0xf48a, 0xf0f1, 0xed73, 0xea0f, 0xe6c3, 0xe38e, 0xe070, 0xdd68, 0xda74,
    0xd794, 0xd4c7, 0xd20d, 0xcf64, 0xcccd, 0xca46, 0xc7ce, 0xc566, 0xc30c, 0xc0c1, 0xbe83, 0xbc52,
    0xba2f, 0xb817, 0xb60b, 0xb40b, 0xb216, 0xb02c, 0xae4c, 0xac77, 0xaaab, 0xa8e8, 0xa72f, 0xa57f,
    0xa3d7, 0xa238, 0xa0a1, 0x9f11, 0x9d8a, 0x9c0a, 0x9a91, 0x991f, 0x97b4, 0x9650, 0x94f2, 0x939b,
    0x9249, 0x90fe, 0x8fb8, 0x8e78, 0x8d3e, 0x8c09, 0x8ad9, 0x89ae, 0x8889, 0x8768, 0x864c, 0x8534,
    0x8421, 0x8312, 0x8208, 0x8102, 0x8000,
};

/* minus the logarithms of these factors, of j >= 27 less log 2: upper and lower half of their 116 bits after the binary point */
static const __constant ulong LOG_HIGH[65] = {
    0x0000000000000000, 0x00003f7d51627807, 0x00007e0b6c39e8cc, 0x0000bb9b47b358e7,
    0x0000f85086009315, 0x0001341db961bd9d, 0x00016f06a8afa8b4, 0x0001a92193a589d6,
    0x0001e27476e32f2e, 0x00021af3cf9a91cb, 0x000252a65f047ea4, 0x000289a66d9977a3,
    0x0002bfea0e15727a, 0x0002f57a6044c7a2, 0x00032a4dd39ebcd6, 0x00035e8229d29fff,
    0x000391faf8f3d344, 0x0003c4d76dc8305b, 0x0003f7240dabcfc5, 0x000428c4b89d8638,
    0x000459db2aeb6983, 0x00048a4b3ef4bad9, 0x0004ba382eb8494c, 0x0004e99b955c937b,
    0x00051858f08a37af, 0x000546aba1cb7e8b, 0x00057477efd84473, 0xfffa8a96482ab0b4,
    0xfffab75a7e32f70a, 0xfffae39d8f6396f9, 0xfffb0f716234539f, 0xfffb3ab9478e7145,
    0xfffb659f7bb4c91a, 0xfffb901fa72a851b, 0xfffbba1cdf7608e1, 0xfffbe3aaa7ee4e66,
    0xfffc0cdd72699190, 0xfffc359820043dfd, 0xfffc5def81b6262f, 0xfffc85f958fbcd6b,
    0xfffcad7e586f24c3, 0xfffcd4ae246271cf, 0xfffcfb855355fd87, 0xfffd22006e918f28,
    0xfffd481bf295f849, 0xfffd6dd44f9a0953, 0xfffd934169fd55fd, 0xfffdb8449abc443c,
    0xfffddd122fbb8370, 0xfffe016f6c6404a9, 0xfffe259189c83b95, 0xfffe495977264a4e,
    0xfffe6cc41a2b8b67, 0xfffe8feb8f52f871, 0xfffeb2cd6a2e0a15, 0xfffed56735bd5086,
    0xfffef79874ac3c5c, 0xffff199a61943268, 0xffff3b4caf612262, 0xffff5ccb895e98e0,
    0xffff7df613b0cddd, 0xffff9ee8eb628ed8, 0xffffbf82a69e329e, 0xffffdfe05514f043,
    0x0000000000000000,
};

static const __constant ulong LOG_LOW[65] = {
    0x0000000000000000, 0xb249ec5f9384d383, 0x01893949a4747ab3, 0x5591d9053ce841ff,
    0x32b690fa3621d10f, 0x092aed8cba5a2699, 0x5e33bad52b165efe, 0x0614c9016aa5fe1a,
    0x73f401d554420c2e, 0x422847849e3a781f, 0x542b6a38ca1cbd56, 0xcd4fd08374654c4a,
    0x8e63d596970646c4, 0x2b4e351efb7dedad, 0x93fd7c003c7ff027, 0x4e1a3287551b8126,
    0x202f69ae883dd53d, 0x9f7325995521a89b, 0x51fffe26dc4822e2, 0xb97d045044aaf4fe,
    0x963c8b4ab263db05, 0x3854ad2e2ab9a499, 0x2700879c36975a8b, 0x3e8174591502c219,
    0x51ee25b84959f02c, 0x4273a4ad8d4011c4, 0x60d90a69947f60f7, 0x55b2cd07ff4c67c0,
    0x547c0919cb47f1c8, 0x3ec5a09808fe999d, 0x5aad3c2510a1fb45, 0xace09ad766b536f5,
    0xb7469a779e0b9bbf, 0x10958a02185c46c2, 0x087dc7da6b8df4a4, 0xe41e69933b1e0d4e,
    0xd0a22d25d89537c2, 0x75bb2837bb66c680, 0x7732c00746a903c9, 0xc51a21c41cbd9674,
    0x7cc5315bb524dc4f, 0xc024bff78d663457, 0xc35c41ba708ae361, 0x935dd8707dd55568,
    0xd5e506f7b691e187, 0xcee006bcf61a2b38, 0x3a6050efe7045d5e, 0xc40cf79d5cd61783,
    0x998ee7ed1693c67d, 0x1a12ae78855ad419, 0xf054dab8f9561c1d, 0x8a00c41da9a7e8fc,
    0x2d1e3e55bb1ffc62, 0x71b2abb193162df3, 0x3905830921edc83d, 0x43e5a6539e731d05,
    0x04cd6db9f1d98776, 0x5674664afca8cdce, 0x53aeeefc4b1f971c, 0xb3f103493e97f83b,
    0xdcd49b75a6aec444, 0x39f399cdfff147f2, 0xf82d906d14b3b05e, 0x1db9111f9a4b7104,
    0x0000000000000000,
};

/* atan(j/16), 63 bits after the binary point */
static const __constant ulong ARC[17] = {
    0x0000000000000000, 0x07fd56edcb3f7a72, 0x0feadd4d5617b6e3, 0x17b97b4bce5b0227,
    0x1f5b75f92c80dd63, 0x26c4ee6e0fd7979a, 0x2dec3283c9bde11d, 0x34c9dd879847f96e,
    0x3b58ce0ac3769ed1, 0x4195fa536cc33f15, 0x47802eaf7bfacfce, 0x4d17c07338deed10,
    0x525e3e8c9a7b8492, 0x5756261c5a6c6040, 0x5c029f15e118cf3a, 0x606742dc56293320,
    0x6487ed5110b4611a,
};
#endif
