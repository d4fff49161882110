import Library.Shapes

/-! Definitions, default values, instances and `simp` rules reach a file that imports them. -/

open Shapes

#eval ({ width := 3 } : Rectangle)
#eval (Rectangle.mk 3 4).area
#check @Rectangle.area
#print axioms Rectangle.area_mk

example : (Rectangle.mk 2 5).area = 10 := by simp
