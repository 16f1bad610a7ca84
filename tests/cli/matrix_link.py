"""A link of imported matrices: four masses and springs along the edges of their tetrahedron."""
import itertools

BRACKET = """lithe = 1

[[links]]
name = "bracket"
type = "matrices"
nodes = {root = [0, 0, 0]}
mass_matrix = "mass.mtx"
stiffness_matrix = "stiffness.mtx"
node_coordinates = "nodes.csv"

[[joints]]
name = "ball"
type = "spherical"
child = "bracket"
child_node = "root"
"""

NODES = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]


def matrix_market(matrix):
    entries = [f"{i + 1} {j + 1} {matrix[i][j]}" for i in range(12) for j in range(i + 1) if matrix[i][j]]
    return f"%%MatrixMarket matrix coordinate real symmetric\n12 12 {len(entries)}\n" + "\n".join(entries) + "\n"


def point_masses():
    return matrix_market([[0.5 if i == j else 0 for j in range(12)] for i in range(12)])


def springs():
    """A tetrahedron with a spring along every edge."""
    matrix = [[0.0] * 12 for _ in range(12)]
    for a, b in itertools.combinations(range(4), 2):
        edge = [y - x for x, y in zip(NODES[a], NODES[b])]
        stiffness = 1e6 / sum(x * x for x in edge)
        for (m, n), i, j in itertools.product(itertools.product((a, b), repeat=2), range(3), range(3)):
            matrix[3 * m + i][3 * n + j] += (1 if m == n else -1) * stiffness * edge[i] * edge[j]
    return matrix_market(matrix)


def write_matrix_link(test):
    """Writes bracket.toml and its matrices; the paths of masses, stiffness and nodes."""
    test.write("bracket.toml", BRACKET)
    nodes = test.write("nodes.csv", "".join("{}, {}, {}\n".format(*node) for node in NODES))
    return test.write("mass.mtx", point_masses()), test.write("stiffness.mtx", springs()), nodes
