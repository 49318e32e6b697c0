
X
xPlaceholder*
_user_specified_namex*
dtype0*
shape:ÿÿÿÿÿÿÿÿÿ
3
ConstConst*
valueBBa*
dtype0
I
OptionalFromValueOptionalFromValuexConst*
Toutput_types
2
}
OptionalGetValueOptionalGetValueOptionalFromValue*,
output_shapes
:ÿÿÿÿÿÿÿÿÿ:*
output_types
2
7
OptionalHasValueOptionalHasValueOptionalFromValue
/
IdentityIdentityOptionalGetValue*
T0
3

Identity_1IdentityOptionalGetValue:1*
T0
1

Identity_2IdentityOptionalHasValue*
T0
"ª