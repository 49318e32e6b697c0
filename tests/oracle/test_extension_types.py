"""Extension types: their annotations, defaults, constructors, reserved names and
specs. The same expression on both, its text or its error compared."""

import re
import types

import pytest

SETUP = """
import abc, collections.abc, copy, inspect, typing
import numpy as np
E = tf.experimental.ExtensionType
B = tf.experimental.BatchableExtensionType
M, U, O, T = typing.Mapping, typing.Union, typing.Optional, typing.Tuple
def ext(body=None, name='C', base=E, **fields):
    return type(E)(name, (base,), dict(
        body or {}, __annotations__=fields, __module__='m', __qualname__=name))
def made(f, **fields):
    return ext({'__init__': f}, **fields)
same = tf.function(lambda x: x, autograph=False)
class Calling(E):
    x: int
    def __init__(self, v):
        super().__init__()
        self.x = v
class Later(E):
    x: tf.Tensor = 3
    next: O['Later'] = None
class Mixed:
    z: int
class WithMixed(E, Mixed):
    x: int
class Abstract(E, abc.ABC):
    x: int
    @abc.abstractmethod
    def f(self): ...
class Concrete(Abstract):
    def f(self): return self.x
class Checked(E):
    x: tf.Tensor
    class Spec:
        def __init__(self, n): self.x = tf.TensorSpec([n])
        def __validate__(self): assert self.x.shape[0] < 3, 'too many'
"""

EXPRESSIONS = r"""
ext(x=M[tf.Tensor,int])
ext(x=M[T[tf.Tensor,int],int])
ext(x=M[U[tf.Tensor,int],int])
ext(x=M[tf.DType,int])({tf.int32:1})
ext(x=M[M[str,int],int])
ext(x=M[str,M[tf.Tensor,int]])
ext(x=U[tf.Tensor,int])(1).x
ext(x=U[int,tf.Tensor])(1).x
ext(x=U[int,tf.Tensor])('a').x
ext(x=U[float,int])(1).x
ext(x=U[int,bool])(True).x
ext(x=U[str,tf.Tensor])('a').x
ext(x=U[tf.Tensor,str])('a').x
ext(x=U[tf.Tensor,tf.RaggedTensor])(tf.ragged.constant([[1],[2,3]])).x
ext(x=U[tf.Tensor,tf.RaggedTensor])(tf.ragged.constant([[1],[2]])).x
ext(x=U[tf.Tensor,tf.SparseTensor])(tf.sparse.from_dense([1])).x
ext(x=U[tf.Tensor,None])(None).x
ext(x=O[tf.Tensor])(3).x
ext(x=U[tf.Tensor,int]).Spec(1)
ext(x=U[tf.Tensor,int]).Spec(tf.TensorSpec([]))
ext(x=U[int,str])(2.5)
ext(x=U[tf.Tensor,int])(object())
ext(__dict__=int)
ext(__dict__=int)(1)
ext({'__dict__':1}, x=int)
ext(self=int)
ext(Spec=int)
ext(_type_spec=int)
ext(_shape_invariant_to_type_spec=int)
ext(_consumers=int)
ext(value_type=int)
ext(is_compatible_with=int)
ext(most_specific_compatible_type=int)
ext(_with_tensor_ranks_only=int)
ext(_to_components=int)
ext(_from_components=int)
ext(_component_specs=int)
ext(_to_tensor_list=int)
ext(_from_tensor_list=int)
ext(_from_compatible_tensor_list=int)
ext(_flat_tensor_specs=int)
ext(_serialize=int)
ext(_deserialize=int)
ext(_to_legacy_output_types=int)
ext(_to_legacy_output_shapes=int)
ext(_to_legacy_output_classes=int)
ext(_keras_mask=int)
ext(_tf_extension_type=int)
ext(_tf_extension_type_x=int)
ext(_TF_EXTENSION_TYPE_x=int)
ext(_tf_extension_typo=int)
ext(__init__=int)
ext(__hash__=int)
ext({'y':1}, x=int)
ext({'y':[1]}, x=int)
ext({'_y':1}, x=int)
ext({'y':lambda self: 1}, x=int)(1).y()
ext({'y':property(lambda self: 1)}, x=int)(1).y
ext({'_type_spec':1}, x=int)
ext({'_serialize':lambda self:1}, x=int)
ext({'_consumers':lambda self:1}, x=int)
ext({'value_type':3}, x=int)
ext({'__doc__':'d'}, x=int).__doc__
ext({'__name__':'named'}, x=int)
ext({'Spec':3}, x=int)
ext({'Spec':type('Spec',(dict,),{})}, x=int)
ext({'Spec':type('Spec',(tf.TypeSpec,),{})}, x=int)
ext({'Spec':type('Spec',(),{'x':3})}, x=int)
ext({'Spec':type('Spec',(),{'value_type':3})}, x=int)
ext({'Spec':type('Spec',(),{'_serialize':3})}, x=int)
ext({'Spec':type('Spec',(),{'y':3})}, x=int)(1)._type_spec.y
ext({'Spec':type('Spec',(),{'__batch_encoder__':3})}, x=int)
ext({'__batch_encoder__':3}, x=int)
ext({'__batch_encoder__':tf.experimental.ExtensionTypeBatchEncoder()}, x=int)
ext(x=list)
ext(x=dict)
ext(x=tuple)
ext(x=tuple[()])
ext(x=tuple[()])(())
ext(x=T[()])
ext(x=T[()])(())
ext(x=T)
ext(x=U)
ext(x=M)
ext(x=tuple[int,...])((1,2)).x
ext(x=tuple[int,str])((1,2)).x
ext(x=T[int,...])([1,2]).x
ext(x=T[int,...])('a').x
ext(x=T[str,...])('ab').x
ext(x=T[...])
ext(x=typing.List[int])
ext(x=typing.Dict[str,int])
ext(x=dict[str,int])
ext(x=collections.abc.Mapping[str,int])({'a':1}).x
ext(x=typing.Any)
ext(x=object)
ext(x=3)
ext(x=[int])
ext(x=typing.Callable)
ext(x=complex)
ext(x=np.ndarray)
ext(x=tf.TypeSpec)
ext(x=tf.TensorSpec)
ext(x=tf.Variable)
ext(x=typing.TypeVar('Q'))
ext(x=typing.Literal[1])
ext(x=typing.Annotated[int,3])(1)
ext(x=typing.Final[int])(1)
ext(x=typing.ClassVar[int])
ext(x=None)(None)
ext(x=None)(1)
ext(x=type(None))(None)
ext(x='int')(1)
ext(x='int')('a')
ext(x='Nope')
ext(x='Nope.z')
ext(x=T['Nope',int])
ext(x='1+')
ext({'x':'s'}, x=int)
ext({'x':1}, x=int, y=int)
ext({'x':1}, x=int, y=int)(y=2)
ext({'x':1}, x=int, y=int)(1, 2)
inspect.signature(ext({'x':1}, x=int, y=int))
inspect.signature(ext({'x':1,'z':'s'}, x=int, y=int, z=str))
inspect.signature(ext({'x':1,'z':'s'}, x=int, y=int, z=str).__init__)
inspect.signature(ext({'x':1}, x=int, y=int).Spec)
inspect.signature(ext({'x':1}, x=int, y=int).Spec.__init__)
ext({'x':1,'z':'s'}, x=int, y=int, z=str)(1, y=2)
ext({'x':1,'z':'s'}, x=int, y=int, z=str)(1, 's')
ext({'x':1,'z':'s'}, x=int, y=int, z=str)(y=1)
ext({'x':1}, x=tf.Tensor)().x
ext({'x':1}, x=tf.Tensor).__init__.__signature__
ext({'x':object()}, x=tf.Tensor)
ext({'x':[1,2]}, x=T[int,...])
ext({'x':[1,2]}, x=T[int,...]).x
ext({'x':[1,2]}, x=T[int,...])().x
ext({'x':{'a':1}}, x=M[str,int])().x
ext({'x':[2]}, x=tf.TensorShape)().x
ext({'x':'int32'}, x=tf.DType)().x
ext(x=tf.TensorShape)(None).x
ext(x=tf.TensorShape)('a').x
ext(x=tf.TensorShape)(3).x
ext(x=tf.TensorShape)([-2]).x
ext(x=tf.TensorShape)(object()).x
ext(x=tf.DType)('nope').x
ext(x=tf.DType)(int).x
ext(x=tf.DType)(None).x
ext(x=tf.DType)([]).x
ext(x=tf.RaggedTensor)(3)
ext(x=tf.RaggedTensor).Spec(3)
ext(x=tf.RaggedTensor).Spec(tf.TensorSpec([]))
ext(x=tf.RaggedTensor).Spec(tf.RaggedTensorSpec([None,None]))
ext(x=tf.Tensor).Spec(tf.RaggedTensorSpec([None,None]))
ext(x=tf.Tensor).Spec(3)
ext(x=tf.Tensor).Spec(tf.zeros([]))
ext(x=tf.Tensor)(tf.TensorSpec([]))
ext(x=tf.Tensor)(object())
ext(x=tf.Tensor)([[1],[2,3]])
ext(x=tf.Tensor)(tf.ragged.constant([[1],[2,3]]))
ext(x=tf.Tensor)(None)
ext(x=tf.Tensor)(tf.Variable(1)).x
ext(x=int)(True).x
ext(x=int)(np.int64(1)).x
ext(x=float)(1).x
ext(x=str)(b'a').x
ext(x=T[int,str])(3)
ext(x=T[int,str])({1,2})
ext(x=M[str,int])([('a',1)])
ext(x=M[str,int])({'a':'b'})
ext(x=M[str,int])({1:1})
ext(x=M[str,T[int,int]])({'a':(1,'x')})
ext(x=M[str,int])({'a':1})
ext(x=M[str,int])({'a':1})._type_spec
ext(x=M[str,int])({'a':1}).x['a']
ext(x=M[str,tf.Tensor])({'b':1,'a':2})._type_spec
ext(x=M[str,tf.Tensor])({'b':1,'a':2})
tf.function(lambda c: c)(ext(x=M[str,tf.Tensor])({'b':1,'a':2}))
ext(x=int)()
ext(x=int)(1,2)
ext(x=int)(y=1)
ext(x=int)(1,x=1)
ext(x=int)(1,y=1)
ext(x=int).Spec()
ext(x=int).Spec(1,2)
ext({'x':1},x=int).Spec()
ext(args=int)(1)
ext(kwargs=int)(kwargs=1)
ext(args=int,kwargs=int)(args=1,kwargs=2)
ext(cls=int)(cls=1)
ext(name=int)(name=1)
ext()
ext()()
ext()() == ext()()
ext().Spec()
E()
ext(base=E)()
ext(base=ext(x=int), y=int)(1,2)
ext({'y':3}, base=ext(x=int), y=int)(1)
ext(base=ext({'x':3},x=int), y=int)(y=1)
ext({'x':5}, base=ext({'x':3},x=int), y=int)(y=1)
ext({'x':5}, base=ext({'x':3},x=int))()
ext({}, base=ext(x=int), x=str)('a')
ext({'__init__':lambda self, v: setattr(self,'x',v)}, x=int)(3)
ext({'__init__':lambda self, v: setattr(self,'x',v)}, x=int)('s')
ext({'__init__':lambda self, v: setattr(self,'y',v)}, x=int)(3)
ext({'__init__':lambda self, v: self.__dict__.update(x=1, z=2)}, x=int)(3)
ext({'__init__':lambda self, v: (setattr(self,'x',v), delattr(self,'x'))}, x=int)(3)
ext({'__init__':lambda self, v: (setattr(self,'x',v), delattr(self,'x'), setattr(self,'x',2))}, x=int)(3)
ext({'__init__':lambda self, v: delattr(self,'x')}, x=int)(3)
inspect.signature(ext({'__init__':lambda self, v: None}, x=int, y=int))
ext({'__validate__':lambda self: 1/0}, x=int)(3)
ext(base=ext({'__init__':lambda self, v: setattr(self,'x',v)}, x=int), y=int)(3)
ext(base=ext({'__init__':lambda self, v: setattr(self,'x',v)}, x=int))(3)
ext(base=ext({'__init__':lambda self, v: setattr(self,'x',v)}, x=int))(x=3)
setattr(ext(x=int)(1), 'x', 2)
setattr(ext(x=int)(1), '_keras_mask', 2)
delattr(ext(x=int)(1), 'x')
setattr(ext(x=int).Spec(1), 'x', 2)
delattr(ext(x=int).Spec(1), 'x')
ext(x=int)(1).y
ext(x=int).Spec(1).y
ext(x=int).__init__.__name__
ext(x=int)(1)._type_spec
ext(x=int)(1).__dict__
ext({'f':abc.abstractmethod(lambda self:1)}, x=int)(1)
hash(ext(x=int)(1))
ext(x=int)(1) != ext(x=int)(1)
ext(x=int).Spec(1) == ext(x=int).Spec(1)
copy.copy(ext(x=int)(1))
ext(x=tf.Tensor)([1,2])._type_spec.most_specific_common_supertype([])
ext(x=tf.TensorShape)([1])._type_spec.most_specific_common_supertype([ext(x=tf.TensorShape)([1])._type_spec])
ext(x=tf.TensorShape)([1])._type_spec._component_specs
ext(x=tf.Tensor)([1])._type_spec._from_components([])
ext(x=tf.Tensor)([1])._type_spec._from_components([1,2])
ext(x=tf.Tensor)([1])._type_spec._from_components([tf.constant(1)])
ext(x=int).Spec._deserialize((('x',3),))
ext(x=int).Spec(3)._serialize()
ext(x=M[str,int])({'a':1})._type_spec._serialize()
tf.experimental.extension_type.as_dict(ext(x=int)(3))
Calling(3)
Later()
Later(1, Later(2))
Later.Spec(tf.TensorSpec([]), None)
inspect.signature(Later)
inspect.signature(WithMixed)
WithMixed(x=1, z=2)
Abstract(1)
Concrete(1).f()
isinstance(Concrete(1), Abstract)
Checked.Spec(2)
Checked.Spec(4)
inspect.signature(Checked.Spec)
ext({'a b':1}, **{'a b':int})
ext(**{'a b':int})
ext(**{'class':int})
made(lambda self, v: None, x=int).__init__.__name__
made(lambda self, v: None, x=int).__init__.__wrapped__.__name__
tf.nest.flatten(ext(x=tf.Tensor, y=T[tf.Tensor,...])(1, [2, 3]), expand_composites=True)
same(ext(x=U[tf.Tensor,int], y=U[int,tf.Tensor])(1, 2))
same.get_concrete_function(ext(x=O[tf.Tensor], y=int)(None, 2)).structured_outputs
copy.deepcopy(ext(x=tf.Tensor, y=M[str,int])(1, {'a': 2}))
ext({'y':staticmethod(lambda: 3)}, x=int).y()
ext({'y':classmethod(lambda cls: cls.__name__)}, x=int).y()
ext({'_tf_extension_type_z':3}, x=int)
ext(x=tf.Tensor)(1).__init__(2)
"""


# What both refuse, in words of their own, or where ours is meant to differ.
KINDS_OF_ERRORS = """
ext(x=M[tf.RaggedTensor,int])
ext(x=M[tf.TensorShape,int])
ext(x=tuple[int,str])((1,))
ext(x=T[int,str])((1,2,3))
ext(x='Nope')(1)
ext(x=T['Nope',int])((1,2))
ext({'x':3}, x='Nope')()
ext(__validate__=int)
ext(__eq__=int)
made(lambda self, v: None, x=int, y=int)(3)
made(lambda self, v: self.__dict__.update(x=1, y=2, z=3), x=int)(3)
tf.experimental.extension_type.as_dict(3)
"""


def _outcome(tf: types.ModuleType, expression: str, with_text: bool) -> str:
    scope = {"tf": tf}
    exec(SETUP, scope)
    try:
        text = repr(eval(expression, scope))
    except Exception as e:
        if not with_text:
            return type(e).__name__
        text = f"{type(e).__name__}: {e}"
    text = re.sub(r"0x[0-9A-Fa-f]+", "0x", text)
    return text.replace("tensorflow.python.framework.tensor.", "").replace(
        "graphkiln.Tensor", "Tensor"
    )


@pytest.mark.parametrize("expression", EXPRESSIONS.split("\n")[1:-1])
def test_same_outcome(both, expression):
    assert _outcome(both.ours, expression, True) == _outcome(
        both.theirs, expression, True
    )


@pytest.mark.parametrize("expression", KINDS_OF_ERRORS.split("\n")[1:-1])
def test_same_class_of_error(both, expression):
    assert _outcome(both.ours, expression, False) == _outcome(
        both.theirs, expression, False
    )


def test_unions_may_be_written_with_a_bar(both):
    # TensorFlow knows typing.Union alone.
    for annotation in ("int | None", "tf.Tensor | None"):
        made = f"ext(x={annotation})"
        assert _outcome(both.theirs, made, False) == "TypeError"
        assert _outcome(both.ours, made, False) == "<class 'm.C'>"
    assert _outcome(both.ours, "ext(x=int | str)(2.5)", True).startswith(
        "TypeError: x: expected int | str"
    )
