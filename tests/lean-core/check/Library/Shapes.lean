/-! A module for `imports.lean` to import. -/

namespace Shapes

/-- A rectangle with sides along the axes. -/
structure Rectangle where
  width : Nat
  height : Nat := 1
deriving Repr

def Rectangle.area (r : Rectangle) : Nat := r.width * r.height

@[simp] theorem Rectangle.area_mk (w h : Nat) : (Rectangle.mk w h).area = w * h := rfl

end Shapes
