
X
xPlaceholder*
shape:ÿÿÿÿÿÿÿÿÿ*
_user_specified_namex*
dtype0
3
ConstConst*
valueBBa*
dtype0
j
OptionalFromValueOptionalFromValuexConst*
Toutput_types
2:êèÒèÖ
}
OptionalGetValueOptionalGetValueOptionalFromValue*
output_types
2*,
output_shapes
:ÿÿÿÿÿÿÿÿÿ:
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