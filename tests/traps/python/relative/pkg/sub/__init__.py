from ..util import top
