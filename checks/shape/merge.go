package shape

// Merge gives the shape of values of either shape; a nil shape adds nothing.
// The order does not matter, and merging a shape with itself changes nothing.
func Merge(a, b *Shape) *Shape {
	switch {
	case a == nil:
		return b.clone()
	case b == nil:
		return a.clone()
	}
	m := &Shape{Types: a.Types.with(b.Types), Enum: a.Enum.with(b.Enum)}
	m.Formats, m.Empty = mergeText(a, b)
	switch {
	case a.Object == nil:
		m.Object = b.clone().Object
	case b.Object == nil:
		m.Object = a.clone().Object
	default:
		m.Object = mergeObjects(a.Object, b.Object)
	}
	switch {
	case a.Array == nil:
		m.Array = b.clone().Array
	case b.Array == nil:
		m.Array = a.clone().Array
	default:
		m.Array = &Array{Length: a.Array.Length.with(b.Array.Length), Items: Merge(a.Array.Items, b.Array.Items)}
	}
	return m
}

func (l Length) with(m Length) Length { return Length{min(l.Min, m.Min), max(l.Max, m.Max)} }

// mergeText gives the formats that all strings of both follow.
func mergeText(a, b *Shape) (f Formats, empty bool) {
	switch {
	case a.Types&TypeString == 0:
		return b.Formats, b.Empty
	case b.Types&TypeString == 0:
		return a.Formats, a.Empty
	}
	f = a.Formats & b.Formats
	// Strings that were all empty are empty at times beside others.
	empty = a.Empty || b.Empty || (a.Formats == anyFormat) != (b.Formats == anyFormat)
	return f, empty && f != 0
}

func mergeObjects(a, b *Object) *Object {
	if a.Map || b.Map {
		a, b = a.collapsed(), b.collapsed()
		return &Object{Map: true, Size: a.Size.with(b.Size), Values: Merge(a.Values, b.Values), Data: a.Data && b.Data}
	}
	m := &Object{Keys: make(map[string]*Key, len(a.Keys)), More: a.More || b.More}
	for name, k := range a.Keys {
		other := b.Keys[name]
		if other == nil {
			m.Keys[name] = &Key{Optional: true, Shape: *k.Shape.clone()}
			continue
		}
		m.Keys[name] = &Key{Optional: k.Optional || other.Optional, Shape: *Merge(&k.Shape, &other.Shape)}
	}
	for name, k := range b.Keys {
		if a.Keys[name] == nil {
			m.Keys[name] = &Key{Optional: true, Shape: *k.Shape.clone()}
		}
	}
	return m.bounded()
}

// collapsed is an object as a map: what its keys hold is what its values hold.
func (o *Object) collapsed() *Object {
	if o.Map {
		return o
	}
	m := &Object{Map: true, Size: Length{0, len(o.Keys)}, Data: !o.More}
	for name, k := range o.Keys {
		m.Data = m.Data && structured([]byte(name))
		if !k.Optional {
			m.Size.Min++
		}
		m.Values = Merge(m.Values, &k.Shape)
	}
	return m
}

// bounded makes a map of an object that has too many keys.
func (o *Object) bounded() *Object {
	if !o.Map && (o.More || len(o.Keys) > MaxKeys) {
		return o.collapsed()
	}
	return o
}

// Update is the recorded shape after the differences to a new one have been
// accepted: what differs is as it is now, everything else as it was recorded.
// Compare then finds nothing in the new one.
func Update(was, now *Shape) *Shape {
	switch {
	case was == nil:
		return now.clone()
	case now == nil:
		return was.clone()
	}
	u := &Shape{Types: was.Types.with(now.Types), Enum: was.Enum.with(now.Enum)}
	if changedType(was.Types, now.Types) {
		u.Types = now.Types.with(was.Types & TypeNull)
	}
	if u.Types&TypeString != 0 {
		u.Formats, u.Empty = mergeText(was, now)
		if u.Formats == 0 && was.Formats != 0 {
			u.Formats, u.Empty = now.Formats, now.Empty
		}
	}
	if u.Types&TypeObject != 0 {
		u.Object = updateObject(was.Object, now.Object)
	}
	if u.Types&TypeArray != 0 {
		u.Array = updateArray(was.Array, now.Array)
	}
	return u
}

func updateArray(was, now *Array) *Array {
	switch {
	case was == nil:
		return (&Shape{Array: now}).clone().Array
	case now == nil:
		return (&Shape{Array: was}).clone().Array
	}
	return &Array{Length: was.Length.with(now.Length), Items: Update(was.Items, now.Items)}
}

func updateObject(was, now *Object) *Object {
	switch {
	case was == nil || now != nil && was.Map != now.Map:
		return (&Shape{Object: now}).clone().Object
	case now == nil:
		return (&Shape{Object: was}).clone().Object
	case was.Map:
		return &Object{Map: true, Size: was.Size.with(now.Size), Values: Update(was.Values, now.Values), Data: was.Data && now.Data}
	}
	u := &Object{Keys: make(map[string]*Key, len(now.Keys)), More: now.More}
	for name, k := range was.Keys {
		other := now.Keys[name]
		switch {
		case other != nil:
			u.Keys[name] = &Key{Optional: k.Optional || other.Optional, Shape: *Update(&k.Shape, &other.Shape)}
		case k.Optional:
			u.Keys[name] = k.clone()
		}
	}
	for name, k := range now.Keys {
		if was.Keys[name] == nil {
			u.Keys[name] = k.clone()
		}
	}
	return u.bounded()
}
