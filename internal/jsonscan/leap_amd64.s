#include "textflag.h"

// A run of plain text is looked at in steps of 64 bytes. Seen as signed numbers, bytes below a blank
// are the control characters and all that is not ASCII, so that one comparison finds both.

DATA quotesOf<>+0(SB)/8, $0x2222222222222222
GLOBL quotesOf<>(SB), RODATA|NOPTR, $8
DATA slashesOf<>+0(SB)/8, $0x5c5c5c5c5c5c5c5c
GLOBL slashesOf<>(SB), RODATA|NOPTR, $8
DATA blanksOf<>+0(SB)/8, $0x2020202020202020
GLOBL blanksOf<>(SB), RODATA|NOPTR, $8
DATA lowHalves<>+0(SB)/8, $0x0f0f0f0f0f0f0f0f
GLOBL lowHalves<>(SB), RODATA|NOPTR, $8

// A byte is a short escape where its low half and its high half have a bit in common: 1 stands for
// those that begin with 2 (quote and slash), 2 for 5 (backslash), 4 for 6 (b, f, n), 8 for 7 (r, t).
DATA byLowHalf<>+0(SB)/8, $0x00040008000d0000
DATA byLowHalf<>+8(SB)/8, $0x0104000200000000
GLOBL byLowHalf<>(SB), RODATA|NOPTR, $16
DATA byHighHalf<>+0(SB)/8, $0x0804020000010000
DATA byHighHalf<>+8(SB)/8, $0x0000000000000000
GLOBL byHighHalf<>(SB), RODATA|NOPTR, $16

// Two bytes that follow each other are wrong where what their halves say has a bit in common: the high half and the low half
// of the first, and the high half of the second. The bits: 1 too short, 2 too long, 4, 32 and 64 said in more bytes than are
// needed, 8 and 64 beyond all characters, 16 half a surrogate pair, 128 two bytes that go on, which a character of three or
// four must have. After J. Keiser and D. Lemire, "Validating UTF-8 in less than one instruction per byte" (2021).
DATA firstHigh<>+0(SB)/8, $0x0202020202020202
DATA firstHigh<>+8(SB)/8, $0x4915012180808080
GLOBL firstHigh<>(SB), RODATA|NOPTR, $16
DATA firstLow<>+0(SB)/8, $0xcbcbcb8b8383a3e7
DATA firstLow<>+8(SB)/8, $0xcbcbdbcbcbcbcbcb
GLOBL firstLow<>(SB), RODATA|NOPTR, $16
DATA secondHigh<>+0(SB)/8, $0x0101010101010101
DATA secondHigh<>+8(SB)/8, $0x01010101babaaee6
GLOBL secondHigh<>(SB), RODATA|NOPTR, $16
DATA belowThree<>+0(SB)/8, $0x6060606060606060 // what a first byte of three is above one that goes on
GLOBL belowThree<>(SB), RODATA|NOPTR, $8
DATA belowFour<>+0(SB)/8, $0x7070707070707070
GLOBL belowFour<>(SB), RODATA|NOPTR, $8
DATA highBits<>+0(SB)/8, $0x8080808080808080
GLOBL highBits<>(SB), RODATA|NOPTR, $8

// LOOK finds quotes (Y10, Y11), backslashes (Y8, Y9), and control characters and what is not ASCII
// (Y12, Y13) in 64 bytes (Y6, Y7), and all of these in one (Y14).
#define LOOK \
	VMOVDQU  (SI), Y6      \
	VMOVDQU  32(SI), Y7    \
	VPCMPEQB Y1, Y6, Y8    \
	VPCMPEQB Y1, Y7, Y9    \
	VPCMPEQB Y0, Y6, Y10   \
	VPCMPEQB Y0, Y7, Y11   \
	VPCMPGTB Y6, Y2, Y12   \
	VPCMPGTB Y7, Y2, Y13   \
	VPOR     Y8, Y10, Y14  \
	VPOR     Y9, Y11, Y15  \
	VPOR     Y12, Y14, Y14 \
	VPOR     Y13, Y15, Y15 \
	VPOR     Y14, Y15, Y14

// MASK makes one bit of each byte of two vectors.
#define MASK(low, high, to) \
	VPMOVMSKB low, to   \
	VPMOVMSKB high, R15 \
	SHLQ      $32, R15  \
	ORQ       R15, to

// func plainAVX2(p *byte, n int) int
TEXT ·plainAVX2(SB), NOSPLIT, $0-24
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ SI, DI
	VPBROADCASTQ quotesOf<>(SB), Y0
	VPBROADCASTQ slashesOf<>(SB), Y1
	VPBROADCASTQ blanksOf<>(SB), Y2

plain:
	CMPQ CX, $64
	JLT  out
	LOOK
	VPTEST Y14, Y14
	JNZ  found
	ADDQ $64, SI
	SUBQ $64, CX
	JMP  plain

found:
	VPOR Y8, Y10, Y8
	VPOR Y9, Y11, Y9
	VPOR Y12, Y8, Y8
	VPOR Y13, Y9, Y9
	MASK(Y8, Y9, AX)
	BSFQ AX, AX
	ADDQ AX, SI

out:
	SUBQ DI, SI
	MOVQ SI, ret+16(FP)
	VZEROUPPER
	RET

// func pairAVX2(p *byte, n int, one, two byte) int
TEXT ·pairAVX2(SB), NOSPLIT, $0-32
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ SI, DI
	VPBROADCASTB one+16(FP), Y0
	VPBROADCASTB two+17(FP), Y1

pairs:
	CMPQ CX, $65
	JLT  none
	VPCMPEQB (SI), Y0, Y2
	VPCMPEQB 32(SI), Y0, Y3
	VPCMPEQB 1(SI), Y1, Y4
	VPCMPEQB 33(SI), Y1, Y5
	VPAND    Y2, Y4, Y2
	VPAND    Y3, Y5, Y3
	VPOR     Y2, Y3, Y4
	VPTEST   Y4, Y4
	JNZ      pair
	ADDQ $64, SI
	SUBQ $64, CX
	JMP  pairs

pair:
	MASK(Y2, Y3, AX)
	BSFQ AX, AX
	ADDQ AX, SI

none:
	SUBQ DI, SI
	MOVQ SI, ret+24(FP)
	VZEROUPPER
	RET

// LOW and HIGH look a half of each byte up in a table, in 32 bytes at once.
#define LOW(in, table, to) \
	VPAND          Y5, in, to  \
	VBROADCASTI128 table, Y14  \
	VPSHUFB        to, Y14, to
#define HIGH(in, table, to) \
	VPSRLW         $4, in, to  \
	VPAND          Y5, to, to  \
	VBROADCASTI128 table, Y14  \
	VPSHUFB        to, Y14, to

// UTF8 sets bits of Y15 where 32 bytes are no UTF-8, with the 32 before them.
#define UTF8(in, before) \
	VPERM2I128   $0x21, in, before, Y8    \
	VPALIGNR     $15, Y8, in, Y9          \
	HIGH(Y9, firstHigh<>(SB), Y10)        \
	LOW(Y9, firstLow<>(SB), Y11)          \
	HIGH(in, secondHigh<>(SB), Y12)       \
	VPAND        Y10, Y11, Y11            \
	VPAND        Y11, Y12, Y12            \
	VPALIGNR     $14, Y8, in, Y9          \
	VPALIGNR     $13, Y8, in, Y10         \
	VPBROADCASTQ belowThree<>(SB), Y11    \
	VPSUBUSB     Y11, Y9, Y9              \
	VPBROADCASTQ belowFour<>(SB), Y11     \
	VPSUBUSB     Y11, Y10, Y10            \
	VPOR         Y9, Y10, Y10             \
	VPBROADCASTQ highBits<>(SB), Y11      \
	VPAND        Y11, Y10, Y10            \
	VPXOR        Y12, Y10, Y10            \
	VPOR         Y10, Y15, Y15

// func textAVX2(p *byte, n int) (end int, escaped bool)
TEXT ·textAVX2(SB), NOSPLIT, $0-25
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ SI, DI
	XORQ R8, R8                      // 1: the last byte before these is a backslash that escapes the first
	XORQ R12, R12                    // backslashes that were seen
	MOVQ $0x5555555555555555, R13
	VPBROADCASTQ quotesOf<>(SB), Y0
	VPBROADCASTQ slashesOf<>(SB), Y1
	VPBROADCASTQ blanksOf<>(SB), Y2
	VBROADCASTI128 byLowHalf<>(SB), Y3
	VBROADCASTI128 byHighHalf<>(SB), Y4
	VPBROADCASTQ lowHalves<>(SB), Y5

text:
	CMPQ CX, $64
	JLT  end
	LOOK
	VPTEST Y14, Y14
	JNZ  look
	TESTQ R8, R8
	JNZ  look
	ADDQ $64, SI
	SUBQ $64, CX
	JMP  text

look:
	MASK(Y8, Y9, AX)                 // backslashes
	MASK(Y10, Y11, BX)               // quotes
	MASK(Y12, Y13, DX)               // control characters and what is not ASCII
	MASK(Y6, Y7, R11)                // what is not ASCII
	MOVQ $64, R14                    // how far a step goes: to the end of a character
	TESTQ R11, R11
	JZ   ascii

	VPXOR Y13, Y13, Y13
	VPXOR Y15, Y15, Y15
	UTF8(Y6, Y13)
	UTF8(Y7, Y6)
	VPTEST Y15, Y15
	JNZ  end
	XORQ R11, DX
	CMPB 63(SI), $0xc0
	JAE  cut1
	CMPB 62(SI), $0xe0
	JAE  cut2
	CMPB 61(SI), $0xf0
	JB   ascii
	DECQ R14

cut2:
	DECQ R14

cut1:
	DECQ R14

ascii:
	// A byte is escaped if the run of backslashes before it is odd. Runs that begin at an odd place are
	// added up, so that the carry runs through each to the place behind it.
	MOVQ R8, R9
	NOTQ R9
	ANDQ R9, AX
	LEAQ (R8)(AX*2), R9              // what follows a backslash
	MOVQ R9, R10
	ORQ  R13, R10
	NOTQ R10
	ANDQ AX, R10                     // runs that begin at an odd place
	XORQ R8, R8
	ADDQ AX, R10
	ADCQ $0, R8
	SHLQ $1, R10
	XORQ R13, R10
	ANDQ R9, R10                     // what is escaped

	VPSHUFB  Y6, Y3, Y8
	VPSHUFB  Y7, Y3, Y9
	VPSRLW   $4, Y6, Y6
	VPSRLW   $4, Y7, Y7
	VPAND    Y5, Y6, Y6
	VPAND    Y5, Y7, Y7
	VPSHUFB  Y6, Y4, Y6
	VPSHUFB  Y7, Y4, Y7
	VPAND    Y6, Y8, Y8
	VPAND    Y7, Y9, Y9
	VPXOR    Y15, Y15, Y15
	VPCMPEQB Y15, Y8, Y8
	VPCMPEQB Y15, Y9, Y9
	MASK(Y8, Y9, R11)                // what is no short escape
	ANDQ R10, R11
	MOVQ R10, R9
	ANDQ BX, R9
	XORQ R9, BX                      // quotes that are not escaped
	ORQ  BX, DX
	ORQ  R11, DX
	JNZ  found
	ORQ  AX, R12
	ADDQ R14, SI
	SUBQ R14, CX
	JMP  text

found:
	BSFQ DX, DX
	ADDQ DX, SI
	XORQ R9, R9
	BTSQ DX, R9
	DECQ R9
	ANDQ R9, AX                      // backslashes before it
	ORQ  AX, R12
	BTQ  DX, R10
	SBBQ R8, R8                      // an escape begins with its backslash
	NEGQ R8

end:
	SUBQ  R8, SI
	SUBQ  DI, SI
	MOVQ  SI, end+16(FP)
	TESTQ R12, R12
	SETNE escaped+24(FP)
	VZEROUPPER
	RET
