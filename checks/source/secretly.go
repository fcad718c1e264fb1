package source

// Secretly is the same node, whose problems are shown without the source line:
// for a line that may hold a credential.
func (n Node) Secretly() Node { return Node{n.y, &File{Name: n.f.Name, c: n.f.c}} }
