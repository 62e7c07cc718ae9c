;; Box blur and unsharp mask over planes in one shared memory. The arithmetic is defined in
;; README.md; layout.mjs says where the planes lie. Both functions write only the rows
;; [first, last) that they are given, so workers that are given different rows never collide;
;; the second may start when every row has been through the first.
(module
  (import "env" "memory" (memory 1 65536 shared))

  ;; First pass: for each sample, the sum of the 2 * radius + 1 samples of its row around it.
  ;;
  ;; A v128 holds one pixel of two rows (4 + 4 samples as u16), and slides along both rows at once:
  ;; a pixel comes in on the right, one goes out on the left. The sum fits: 129 * 255 < 65536.
  (func (export "sumRows")
    (param $source i32) (param $sums i32) (param $stride i32) (param $width i32)
    (param $first i32) (param $last i32) (param $radius i32)
    (local $y i32) (local $x i32) (local $at i32) (local $edge i32)
    (local $rowA i32) (local $rowB i32) (local $outA i32) (local $outB i32)
    (local $enters v128) (local $leaves v128) (local $sum v128)
    (local.set $edge (i32.sub (local.get $width) (i32.const 1)))
    (local.set $y (local.get $first))
    (block $done
      (loop $rows
        (br_if $done (i32.ge_u (local.get $y) (local.get $last)))
        (local.set $rowA
          (i32.add (local.get $source) (i32.mul (local.get $y) (local.get $stride))))
        (local.set $outA
          (i32.add (local.get $sums)
            (i32.shl (i32.mul (local.get $y) (local.get $stride)) (i32.const 1))))
        ;; The odd row at the end of the picture is its own partner.
        (local.set $rowB (local.get $rowA))
        (local.set $outB (local.get $outA))
        (if (i32.lt_u (i32.add (local.get $y) (i32.const 1)) (local.get $last))
          (then
            (local.set $rowB (i32.add (local.get $rowA) (local.get $stride)))
            (local.set $outB
              (i32.add (local.get $outA) (i32.shl (local.get $stride) (i32.const 1))))))

        ;; The window around x = 0: the first pixel stands for itself and for the `radius` pixels
        ;; to the left of the picture ...
        (local.set $sum
          (i16x8.mul
            (i16x8.splat (i32.add (local.get $radius) (i32.const 1)))
            (i16x8.extend_low_i8x16_u
              (v128.load32_lane 1 (local.get $rowB) (v128.load32_zero (local.get $rowA))))))
        ;; ... and `radius` pixels to the right follow, of which the last may stand for several.
        (local.set $x (i32.const 1))
        (loop $window
          (local.set $at
            (i32.shl
              (select (local.get $x) (local.get $edge) (i32.lt_u (local.get $x) (local.get $edge)))
              (i32.const 2)))
          (local.set $sum
            (i16x8.add (local.get $sum)
              (i16x8.extend_low_i8x16_u
                (v128.load32_lane 1 (i32.add (local.get $rowB) (local.get $at))
                  (v128.load32_zero (i32.add (local.get $rowA) (local.get $at)))))))
          (local.set $x (i32.add (local.get $x) (i32.const 1)))
          (br_if $window (i32.le_u (local.get $x) (local.get $radius))))

        (local.set $x (i32.const 0))
        (loop $columns
          (v128.store64_lane 0
            (i32.add (local.get $outA) (i32.shl (local.get $x) (i32.const 3))) (local.get $sum))
          (v128.store64_lane 1
            (i32.add (local.get $outB) (i32.shl (local.get $x) (i32.const 3))) (local.get $sum))
          ;; Enters: pixel min(x + radius + 1, width - 1).
          (local.set $at
            (i32.add (i32.add (local.get $x) (local.get $radius)) (i32.const 1)))
          (local.set $at
            (i32.shl
              (select (local.get $at) (local.get $edge)
                (i32.lt_u (local.get $at) (local.get $edge)))
              (i32.const 2)))
          (local.set $enters
            (i16x8.extend_low_i8x16_u
              (v128.load32_lane 1 (i32.add (local.get $rowB) (local.get $at))
                (v128.load32_zero (i32.add (local.get $rowA) (local.get $at))))))
          ;; Leaves: pixel max(x - radius, 0).
          (local.set $at
            (i32.shl
              (select (i32.sub (local.get $x) (local.get $radius)) (i32.const 0)
                (i32.gt_u (local.get $x) (local.get $radius)))
              (i32.const 2)))
          (local.set $leaves
            (i16x8.extend_low_i8x16_u
              (v128.load32_lane 1 (i32.add (local.get $rowB) (local.get $at))
                (v128.load32_zero (i32.add (local.get $rowA) (local.get $at))))))
          (local.set $sum
            (i16x8.sub (i16x8.add (local.get $sum) (local.get $enters)) (local.get $leaves)))
          (local.set $x (i32.add (local.get $x) (i32.const 1)))
          (br_if $columns (i32.lt_u (local.get $x) (local.get $width))))

        (local.set $y (i32.add (local.get $y) (i32.const 2)))
        (br $rows))))

  ;; Second pass: sums along the columns, the mean of the whole box, and the unsharp mask.
  ;;
  ;; Works down the rows in strips of 16 samples (4 pixels), whose column sums stay in four i32x4.
  ;; Rows are padded to whole strips, so there is no remainder.
  (func (export "sharpenRows")
    (param $source i32) (param $sums i32) (param $target i32) (param $stride i32)
    (param $height i32) (param $first i32) (param $last i32) (param $radius i32)
    (local $y i32) (local $row i32) (local $side i32) (local $edge i32)
    (local $strip i32) (local $column i32) (local $pitch i32) (local $at i32) (local $next i32)
    (local $area v128) (local $half v128)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local $in v128) (local $out v128)
    (local $pixels v128) (local $low v128) (local $high v128)
    (local $detailLow v128) (local $detailHigh v128)
    (local.set $edge (i32.sub (local.get $height) (i32.const 1)))
    (local.set $pitch (i32.shl (local.get $stride) (i32.const 1)))
    ;; The box has `side` squared samples.
    (local.set $side (i32.add (i32.shl (local.get $radius) (i32.const 1)) (i32.const 1)))
    (local.set $area
      (f32x4.splat (f32.convert_i32_u (i32.mul (local.get $side) (local.get $side)))))
    (local.set $half
      (i32x4.splat
        (i32.shr_u (i32.mul (local.get $side) (local.get $side)) (i32.const 1))))
    (block $done
      (loop $strips
        (br_if $done (i32.ge_u (local.get $strip) (local.get $stride)))
        (local.set $column
          (i32.add (local.get $sums) (i32.shl (local.get $strip) (i32.const 1))))

        ;; The window around row `first`. Half the area is in the sums from the start: it makes the
        ;; division below round to the nearest.
        (local.set $a (local.get $half))
        (local.set $b (local.get $half))
        (local.set $c (local.get $half))
        (local.set $d (local.get $half))
        (local.set $y (i32.sub (local.get $first) (local.get $radius)))
        (loop $window
          ;; Signed: rows above the picture are negative.
          (local.set $row
            (select (local.get $y) (i32.const 0) (i32.gt_s (local.get $y) (i32.const 0))))
          (local.set $row
            (select (local.get $row) (local.get $edge)
              (i32.lt_s (local.get $row) (local.get $edge))))
          (local.set $at
            (i32.add (local.get $column) (i32.mul (local.get $row) (local.get $pitch))))
          (local.set $in (v128.load (local.get $at)))
          (local.set $a
            (i32x4.add (local.get $a) (i32x4.extend_low_i16x8_u (local.get $in))))
          (local.set $b
            (i32x4.add (local.get $b) (i32x4.extend_high_i16x8_u (local.get $in))))
          (local.set $in (v128.load offset=16 (local.get $at)))
          (local.set $c
            (i32x4.add (local.get $c) (i32x4.extend_low_i16x8_u (local.get $in))))
          (local.set $d
            (i32x4.add (local.get $d) (i32x4.extend_high_i16x8_u (local.get $in))))
          (local.set $y (i32.add (local.get $y) (i32.const 1)))
          (br_if $window
            (i32.le_s (local.get $y) (i32.add (local.get $first) (local.get $radius)))))

        (local.set $y (local.get $first))
        (loop $rows
          (local.set $at
            (i32.add (local.get $strip) (i32.mul (local.get $y) (local.get $stride))))
          (local.set $pixels (v128.load (i32.add (local.get $source) (local.get $at))))
          (local.set $low (i16x8.extend_low_i8x16_u (local.get $pixels)))
          (local.set $high (i16x8.extend_high_i8x16_u (local.get $pixels)))

          ;; detail = sample - mean. Dividing as f32 and truncating is the exact integer quotient:
          ;; both numbers are below 2^24 and so exact, and a quotient q - 1/area that is not yet q
          ;; (q < 257, area <= 16641) is further from q than f32's rounding can reach.
          (local.set $detailLow
            (i16x8.sub (local.get $low)
              (i16x8.narrow_i32x4_s
                (i32x4.trunc_sat_f32x4_s
                  (f32x4.div (f32x4.convert_i32x4_s (local.get $a)) (local.get $area)))
                (i32x4.trunc_sat_f32x4_s
                  (f32x4.div (f32x4.convert_i32x4_s (local.get $b)) (local.get $area))))))
          (local.set $detailHigh
            (i16x8.sub (local.get $high)
              (i16x8.narrow_i32x4_s
                (i32x4.trunc_sat_f32x4_s
                  (f32x4.div (f32x4.convert_i32x4_s (local.get $c)) (local.get $area)))
                (i32x4.trunc_sat_f32x4_s
                  (f32x4.div (f32x4.convert_i32x4_s (local.get $d)) (local.get $area))))))

          ;; sample + detail * 3 / 2, rounded down, clamped to 0 ... 255 by the narrowing; alpha
          ;; (every fourth byte) is the source's.
          (v128.store (i32.add (local.get $target) (local.get $at))
            (v128.bitselect
              (local.get $pixels)
              (i8x16.narrow_i16x8_u
                (i16x8.add
                  (i16x8.add (local.get $low) (local.get $detailLow))
                  (i16x8.shr_s (local.get $detailLow) (i32.const 1)))
                (i16x8.add
                  (i16x8.add (local.get $high) (local.get $detailHigh))
                  (i16x8.shr_s (local.get $detailHigh) (i32.const 1))))
              (v128.const i32x4 0xff000000 0xff000000 0xff000000 0xff000000)))

          ;; Slide down. Enters: row min(y + radius + 1, height - 1); leaves: row max(y - radius, 0).
          (local.set $row
            (i32.add (i32.add (local.get $y) (local.get $radius)) (i32.const 1)))
          (local.set $row
            (select (local.get $row) (local.get $edge)
              (i32.lt_u (local.get $row) (local.get $edge))))
          (local.set $next
            (i32.add (local.get $column) (i32.mul (local.get $row) (local.get $pitch))))
          (local.set $row
            (select (i32.sub (local.get $y) (local.get $radius)) (i32.const 0)
              (i32.gt_u (local.get $y) (local.get $radius))))
          (local.set $at
            (i32.add (local.get $column) (i32.mul (local.get $row) (local.get $pitch))))
          (local.set $in (v128.load (local.get $next)))
          (local.set $out (v128.load (local.get $at)))
          (local.set $a
            (i32x4.sub
              (i32x4.add (local.get $a) (i32x4.extend_low_i16x8_u (local.get $in)))
              (i32x4.extend_low_i16x8_u (local.get $out))))
          (local.set $b
            (i32x4.sub
              (i32x4.add (local.get $b) (i32x4.extend_high_i16x8_u (local.get $in)))
              (i32x4.extend_high_i16x8_u (local.get $out))))
          (local.set $in (v128.load offset=16 (local.get $next)))
          (local.set $out (v128.load offset=16 (local.get $at)))
          (local.set $c
            (i32x4.sub
              (i32x4.add (local.get $c) (i32x4.extend_low_i16x8_u (local.get $in)))
              (i32x4.extend_low_i16x8_u (local.get $out))))
          (local.set $d
            (i32x4.sub
              (i32x4.add (local.get $d) (i32x4.extend_high_i16x8_u (local.get $in)))
              (i32x4.extend_high_i16x8_u (local.get $out))))

          (local.set $y (i32.add (local.get $y) (i32.const 1)))
          (br_if $rows (i32.lt_u (local.get $y) (local.get $last))))

        (local.set $strip (i32.add (local.get $strip) (i32.const 16)))
        (br $strips)))))
