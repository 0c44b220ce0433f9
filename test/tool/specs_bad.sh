# Arguments of run that are not understood: each is reported with its number and place,
# all of them before anything runs.
# run: %b/ventus run a.elf -a i32 -a i32: -a i32:2147483648 -a u8:256 -a i8:-129 -a u32:-1 -a i33:7 -a i32:7x -a f32:1.5.2 -a f32:1e40 -a f64:one -a i32x5:1 -a i32x3:1,2 -a i32x2:1,2,3 -a 'i32: 7' -a local: -a local:0 -a local:64k -a buf:f32 -a buf:f32:0 -a buf:f32:x -a buf:f32:4=1,2,3,4,5 -a buf:f32:4=ones -a buf:f32:4= -a 'buf:f32:4>' -a 'buf:f32:4>-:3:2' -a 'buf:f32:4>-:1' -a buf:f32:4=rand -a buf:f32:4=rand:x -a buf:f32:4=@no/such/file -a buf:f64:1000000000 -a buf:i32:4=@/dev/zero -a ''
# exit: 2

# out:
# argument 0:1:4: error: expected ':'
#     i32
#        ^
# argument 1:1:5: error: expected a whole number
#     i32:
#         ^
# argument 2:1:5: error: 2147483648 does not fit in i32
#     i32:2147483648
#         ^
# argument 3:1:4: error: 256 does not fit in u8
#     u8:256
#        ^
# argument 4:1:4: error: -129 does not fit in i8
#     i8:-129
#        ^
# argument 5:1:5: error: -1 does not fit in u32
#     u32:-1
#         ^
# argument 6:1:1: error: 'i33' is no type: i8 u8 i16 u16 i32 u32 i64 u64 f32 f64; nor one of: local struct packed buf rbuf wbuf hbuf img sampler
#     i33:7
#     ^
# argument 7:1:5: error: expected a whole number
#     i32:7x
#         ^
# argument 8:1:5: error: expected a number
#     f32:1.5.2
#         ^
# argument 9:1:5: error: the number is too large for f32
#     f32:1e40
#         ^
# argument 10:1:5: error: expected a number
#     f64:one
#         ^
# argument 11:1:5: error: a vector has 2, 3, 4, 8 or 16 components
#     i32x5:1
#         ^
# argument 12:1:10: error: expected ','
#     i32x3:1,2
#              ^
# argument 13:1:10: error: what follows is not understood
#     i32x2:1,2,3
#              ^
# argument 14:1:5: error: expected a whole number
#     i32: 7
#         ^
# argument 15:1:7: error: expected a number of bytes
#     local:
#           ^
# argument 16:1:7: error: local memory has from 1 byte to 256 MiB
#     local:0
#           ^
# argument 17:1:9: error: what follows is not understood
#     local:64k
#             ^
# argument 18:1:8: error: expected ':'
#     buf:f32
#            ^
# argument 19:1:9: error: a buffer has from 1 byte to 2 GiB
#     buf:f32:0
#             ^
# argument 20:1:9: error: expected a number of elements
#     buf:f32:x
#             ^
# argument 21:1:19: error: more than the 4 values that the buffer holds
#     buf:f32:4=1,2,3,4,5
#                       ^
# argument 22:1:11: error: expected a number
#     buf:f32:4=ones
#               ^
# argument 23:1:11: error: expected a number
#     buf:f32:4=
#               ^
# argument 24:1:11: error: expected - or a file after '>'
#     buf:f32:4>
#               ^
# argument 25:1:13: error: the buffer has only 4 elements
#     buf:f32:4>-:3:2
#                 ^
# argument 26:1:14: error: expected ':'
#     buf:f32:4>-:1
#                  ^
# argument 27:1:11: error: expected a number
#     buf:f32:4=rand
#               ^
# argument 28:1:16: error: expected a seed
#     buf:f32:4=rand:x
#                    ^
# no/such/file: error: No such file or directory
# argument 30:1:9: error: a buffer has from 1 byte to 2 GiB
#     buf:f64:1000000000
#             ^
# argument 31:1:12: error: /dev/zero has more than the buffer's 16 bytes
#     buf:i32:4=@/dev/zero
#                ^
# argument 32:1:1: error: '' is no type: i8 u8 i16 u16 i32 u32 i64 u64 f32 f64; nor one of: local struct packed buf rbuf wbuf hbuf img sampler
#     
#     ^
# end
