#include "kernels/sobol.h"

#include <bit>
#include <string_view>

namespace gk {
namespace {

// For each dimension but the first, by rising degree s of its polynomial: the
// inner coefficients, s - 1 bits, and the first direction numbers 2 to s, of
// which number i is odd and below 2^i: its other bits. Bits from the lowest on,
// six a character, as in base64.
constexpr std::string_view kNumbers =
    "FxGFtVBIlJybS0Aj5dWHcXDDVcG48cRH2NxYptIH756ZuO2IhzzxQ0pgmhNTrKeo/VOxST2u"
    "CSN+NiQAvCx1pciOSusFm/pYR+REtHhTCw3cA9/vpnnMn2JDjvwNpq/03z+YJa1i8k1p15Hw"
    "8rWgltjDDzzJgiyBmUamcpy4FyDLHS5HzpHxvbk3qEI9GB5GtnLY84dIGs2j/r1aL1XVhAiV"
    "o8v63rAGsAkiEBDORbBqEfF5ZvkZaKGPtsXCkoPntS98WmrwS/N9SoluN8ie+52yQ//ZGFA+"
    "Mt9pBTiEqvb5kkpuDe4UGkWhQQNBUvYOsN9+VVANlAVb8hvjP+81yGdbP2cKpP5nh8btk/KQ"
    "bSxqfVuvB4Ex0Kx8OvB8AJGYTkXPV4rBte+P8di0p6uYkQwEjq+EKQk/DE+d6BTaCHc6dedl"
    "h61l4ayTA2us9UfRtdIK2lZi608JeeK5D5mnAf6b55xYB8IAQBLZe5xfdQzx2k42NXjNvUhc"
    "wq7jG7WpQ1kuFjLwTuY/c8irpm7QJlNs7HO2BccX32wN/O/0VAlLx9a/uYR6SQRyEVL8rVwD"
    "S+b3H5o3IaOx8tlWWpDpDvDaPTLuNESIAO6NKvtA+ZQKhPl/VM4UFzFtBhd8KmIyRXDimfia"
    "I954k/oxhwWf7spO55nJJ7CLCH+8c98LWp2hkMnIUQPGqP4rcyZURVKe+1bbiZgO46EzPKwn"
    "TA3NshYfisRs7ZyMrPrMtgQgubWO5aFxqaMwFa9b23VybCpVZaiSL2Nuy6FxnNBKWM6FNeW4"
    "T7DTDDUpbxP6ewTN7vtw6SEg/P3kmsq5B1NC0cN7mSOhMASnK7gDSYx1+unttBsd/DkLQ3DI"
    "u6Bc+yBxkjL+DbWxtNT6uxfoeDyFdcAXY8FPnTcha3tJNJuU9YkzaV14IyXUAGBhRqDl3Vla"
    "r3EMVVv7tlhRUfpY+93KT6vf0It1G86Av7njQ97l9NYHWYNKJHNccp4F7Olx+qMlS0G+pLTp"
    "D1LLlzWpGgRmixebsc6Xd8OvErF5V5P/15XvKa23HFNvvCZfG40AJE+bqTTN9NjXHPnbtUJ7"
    "U2evSHye3z565S+18ccmHDHmswLsjfEeTgh1FnhjrdSdeGNUwA+y5Vlq5LKALsQMky0yO0IA"
    "Plx7YW8zBhsh4bZmc7QMaofD5QKbQRw+pnxEt1fBPYwVLTMegQ6MyCIPWI3zLCghNcDnlXtd"
    "e2JnJ/yLet9PRWDEBke/QAALM4ZDGRod2xkm456NY3wNNJw9lZBtlHBwKKa/nvvYWufQx5U7"
    "Le971IE2s5eFMbTV4xehIQvUumvIQXWUO72sPJGZgdBYd/WDJMBKwm0IXGlKlHdZYpMi9p1c"
    "spFJ+1N+PTEgXg3tYjGL4tiqhqNFhCHlIdYyrNsAhIpkbicrOum/lca5gZiKO2Auk6u38Te1"
    "X11+EsrIAzyWv9THIVd57DeCwbH+3xAsGB6D71DGJZJKrua+qShB5H5izbtGZikOHIubP5ta"
    "5oYx+ziJM6VZ8EUMdqwuqIw86tLyRCxAMMVGw/aJ6uCm5q0rAiSW3qsblPwZCKiJF6VapZTQ"
    "S0g2oIgSW6FAa07AKS4URQ4xXfy0rh2SwlLcWV6mzzB5vbE3i4p8bWKSWpnvSqXyFAPUj5xd"
    "MPzJkwLCeHm5K1Sg8QXFLFgTKTLkO82hFptTM8jGizJVsKlU8DHdmjwGVWH8Y6ke4x2zYqtu"
    "oJFGiGhFUZD7sb1KVgvXr8Yw7G76Ft2Er/yVhYSuqBPyNuk47F2Mdb8fNpFsvHZrGE24fF59"
    "9Vuj2ndfPwJrNSAT/GUxEWbfwxEL/cpHzI/zMKdP7JOZmWyp8jcX/zNSG/8WWsEVaBSlOvbp"
    "V9vSlGSBrIptF6wJtlRXJBoJXsOZmX7T7BjKJqLbLn+Y9L9t9E/M6Kvn69s/j73ipkppuJvF"
    "eO67xVRxi7Iy8gAq5OTAAqCggNRCyjFpkEqvvF+uq42oSfrENm4XSJaAYZT29k5P3mnHueJP"
    "3tEERIp6IaO9/FcikBfZkHt2HTDFdfqz+brZ5OHyH+72laOsgzEwlQp81pDu/9x4GqhCJrkQ"
    "56FlcMyuTFIlHPGg8TCZ6vT8aUVETJeKdXU9jFAGTQjzer0aY6ItzQoGTjkyg3PhyJwJhbSw"
    "Xhb8iHoR2avvv3wPdlryxFFwf6g83yRdhcA4+FjMSfypMUW0xkGWTY8IDUII1y/jT9pxiIB/"
    "Y9ovcuaR95vMZDk5D8rr3aQ5aflR7wy6UlPlByfCDIMVJ/WlPIvp1p9OlJYzz0TA7p5s1Zue"
    "WbDOQC1QtXxVOhuHoqH8oPJKbx2taEIo4SWVTeoN6N6ECOW3NKGlai8IYQBqm4sYOFX6ftTo"
    "hEJzSIWgqoBAUHUD9h1WMYrmagmUDLFyCDLxVWUzb91Xqty7h23hms2+bZDb8kjWRR2xA1UH"
    "/WwIf0WQaAyRWqUowJkcJGC3RFsb2iwtV29bjtc3FdrX5PIK3P4rm7nXXWOUTc409bQ7FZGh"
    "4sgrhFc4+xuj1no87wbwI5Goalrf+qZWN4mhncD0I9iwZml4hw2QrYu7T40QnyxoEcr1bCd+"
    "vxroBv76VOwDfOhQ/YLJeBINYfdzDs+xO35/kMtJfWQ+hUZ20g1hySfEDMdHDT+VO9VSc4fV"
    "Ti9392zRfsrVcR44gsFksPv0/CUsmBY88/F5quC45iF8BbSuus4GP3c7aU1tlrzyRMvT2Jgj"
    "b9jY+qilhFyum2FOXY8xGQ+XWQbPfkbWzAFDFrvtDG0pSPTczJucQaOSlzXCt9nbMYGF165w"
    "hnP9SVZ+GePO+CRDvnIhzI/NNPNuzeabS71OzL2F411H627C+/na1q53dhGxfYu2PYFw7vIR"
    "xKc7cNVCTJl/LHikMeuIRz4/8oqUckCROqblk+FTD7BRP82vvXB5VyUhppfpy6ZwKqhY/0S3"
    "wnLPmNG+qTS6KljjYv6ZME/gfd0j/Vai0jy3j6H8Dx875SJCSvo7Ua5waMpwKfCi81DHy3Tz"
    "nAZB3LnqC5MLXfRgX1gHub1hVUAfrKPlaXbkOcXOBPY6lRgKfSc/0OAqXto/4CkERh36uTrb"
    "ou3MbhmE27xdoUTQ8z6PUE9qbTDqtSs9Eo2VJjFGTLwkdiIRIFmd/1PEjFNk5/rXn67BAb+K"
    "WnmG+A8j5ORggXsaSJMDSwp3LWiL+bdnoVk+E8a06ur3Mn+REtkYXfPkITAF/ZYdmFufEBOb"
    "Gpa8I7QTam0kMTpgg4wSDzTmir/qupG1Od7LCqpEQTyiFwrfH0hPsfNMQHb2cwJgR3DLiSC/"
    "TIyz7CErP0FUWFRegM8LlCtqwF3kV1wyaoGF/oMM8j1cVbqyvAhJU2UeoCh5GJfiU58d2guR"
    "HLM/E0IQFrSJP2TUQdLK1I+9tOWMP6f2MgHGN9afqcXjEkliOFTANLjX+jGVxBL/4AYOELnC"
    "tNSfLuYsBs0xk5uoVx6denDfvKeaGWWo07fXvVu7aVL/gLDvfl0Y1zcHwlAhM2fx8bom6huC"
    "5nZOE29d3fpEUqmkVLBy4re4qElDicaOwH3kGXVZGQpFgZvfqqMw7Q1TPkZOkqck7AF5Hew9"
    "S6OVNDS1vGRiop1ME6V8GfsXWT/yh0pTH/I1uVttxlGHByQKfVGiT5gqRnIJbQcgf6FkdSm3"
    "qCUfrBYprrqWZwbkNRO21lWsNEql90KatLtAWBiw/WFu8axXtD2LrG5tAxcEGxp9sJF+xMtk"
    "ZIS+wrbHjHEfqkxfMqAtFyTRNJZZkiQ5n6IWBSk1SL7Ad7y2SjS9ho6NSvwMHZit4vqax2eQ"
    "wBjeYNzSX6vGfWCwM6GTp+TbLOp8+0J0qZ0apTGJb6vrbi5h5wP4heIq4q2aEawv9Tsxb72y"
    "mQo+8ihldrPXGkEVT9xbWNv3lPaFf9gUij0B3078RUW/7UNHKyR/dobPyWwC04VTm9o4Tb1+"
    "KCNxJOYvukO7eZol+ojSWrOj0yLGRdm9hHJda6307vi+6UyIJ/H0VyM9Qwyji1Qr4NLkJ1mK"
    "uTHZZ6GgjLMVIq13TzpZlvOqORlqPLtO9DJZ8HRcAFrwxmIWU+3OHIV6UYnN6Dn2btRfgFe8"
    "SaTeHg+V7tEKOUeBpr96cVv9OecLZC9r2K662vPUbG7PaRw6/7qhkt6ss9Esuj5U9HmG5pTv"
    "yDWOjBIf5NR7vbyxSNOFZA0t2/dXrYt6QvN2dBNe5T9aSXhWBrfkL36F6/UD282fbFkDejXo"
    "Am/csSH7rrCNyhsRH5fKtSZ2w5Lpxr+oa/fHkjtj7aq8GIq32szxM6I/GLdrkcuKIL2gHKaU"
    "+XR5s/4591kn6/nuxB163C0PXangrdsvOQ9nfc47vb90GXUxnjIdC5j9MzGs+FGmUwSTaV7W"
    "/49cd7tg6i3Babl06JEnvOTBu2z0BC2ciQVzXPFPDENDHHJeQ/unE9DrxU/e1RDe2VAYmELK"
    "70hlh+ykZwt1mUOYy5WW1L8IMfOCzeYvMPCxQ+ZntkqRPZh1ys4sqM0VY+MtfnueNZ36l4qE"
    "M6weNAyPC8+BuiVAkX7KXdCRaFxrI9ROkQrkBKDzzaAa0vPIJCv9QKlWGw0KOR7YCsKl60MO"
    "uQXbACoGhL1k2BRUS4smArHhUWJIVzyfc1S4pwupqJpGp9EMr1igMroisxDw4urNLbDud0fZ"
    "i9wnjp7WsJlyeJRTadMHWi2vFjXzC8wWzZ78yP1yvkVAxBNU6KHb0SWvKxQyFZqYjPuoxASI"
    "T6k5i4g3boQQMDwDRrLxKXwLRKgUte5NPk4cFJ7UJLVY3LfkmrgfuF5jzXxhgnlULNxuO7oP"
    "1VqDxKjB0LH32wgsATyPu2Ujf+gOP4DEHGLmDQBqmpbF+jr9jlRNwDHRguzAeflp2aIBCG/p"
    "NFU8w0O0XwrUYjSpdgiqafz8MjA3fzfdepj3GvHcQCjQjsR0VgWWtVQE5MBqsvK4J2bvtxEE"
    "f6wGKo72EAhPT0DKoXvvkEgGokJKQfsXXgGHQbAoY3YFGgZ5s6Jz6VpxVRdUowg7p8QUdTDB"
    "XiCS2MjzqU/E7vqFAfmpG9T6OpKAKUsG+/4kHtx5HgZdOhxEyzx97evw/l3KeUBIQ1WJGOpo"
    "c5UYArdarf0XxlNEWa8IA6my3SGvbMGrCCUURpOj5LD5/3aJl/CrUcJrzgrKoCR1AuL54gx9"
    "vI5oDhEKBRn8+p0DKfur7iygSKUXZcjjnphKtdBsWeYuTcdqGOPzgoPd0Bq9Z5wcV0MM03fU"
    "rMeQQfkszjJcaIgTAhcBorjDznCP9pAGjrLMjm59g/NJZF9wkx0qsQgOAJMFDqyzpagj4TiE"
    "Ih/79Ql8y9FO5vBQpbMCcB7Dm2O+g+DWeRbuGec0ohcPGiuek57oLHwtOT4kFfceSvooJy6G"
    "/YAd4+sM82jrG/cwBBoDGbLC+qX6BiURfxu4BxJ1O0E980Y8A8aEqF9UrERUHlG8LEZUjVJg"
    "e3WHhI4uBSVOVXv6It8SghbqZUer8beekku8zu8uOhKXwmf9PKHk2VKy9IOyFzD/ROSRXJjU"
    "zNdr6E8UVK5BDI7KLNp2wlKU83UYjGXhAVsxTYH+YOpzQu5rFcJkhZXjqhbmyXQjyPsVxOCN"
    "ZfP2Wh6/sFlg4IlZAHRyb2tcd0GjKjF//YlUIZPsRWKH2qcxK7IgJdUXn/ZW+T6MqkHSsGCw"
    "rZW02OWzRPYHk6EQ7AKhAGS4EfVXxuACMWa8J20UiTcaUaWFdWVFCtCyjmrgltfJfUxP+6Xb"
    "rKHaLrkcHnwPoOneBjW6YKtJZ27hG4obE+q5j2t4UqGvom/UMJk6qOA+JuzHw+G8YByiwCD9"
    "AUwaB3/tUN3lgRnZHqUcCyXcQCSFAeP6enQkpQIY9BYtnbUH1OGg8jchwYBJ5G5gR+VlftMB"
    "FeIZiLIdKxDBW3c/VeTzRnecm5KtYbKa5y2i8PG4RUTtSgoFKrnbx9OSIvnRv2ZFZ88fVoz1"
    "CHlvp/AOcIHAYpHpwnnItofVCZKOmhZq1hQtoBg8yB6cFzqMpR6cXiAhUu2cSAeVPcguLoX4"
    "bgE8aSjnBBtoHsLZQ2ljSMJQ1X+iyBu7eOiswtNyybQimnMva30SC+bdEIy0i2ViaqgC1cbx"
    "NhJr3E4Jhh5saXX/yErknWrTgjL/LREk2HsTRI80q11mYJN0Ktfvpjj3PdNRTkLijWQCloX8"
    "k5hrCVMRH+OiFe5bPP8lEfnUORxX+hLqIZi0mW74bxv5zILqY5Laj35on/Uhb7aVyemjiKJk"
    "lPbIdBwnL4cpXG9hNO1HJqH8JsKjDj9AX/6xi3JSUtxJfauKokk4iqRXs1VOBpJLjA8pLz2r"
    "wj90Rp5qpqXwTz/c8VqoGlqknAKjjmIceab93WGlyrvZIGCAkw/Am6gq3UKW8qyBKxahS6xo"
    "YBzDn10Thg03uLLZcb+asuNCkH3tSi3JTreO9i24Gz8scYfdKR9j6s17RLG8sHraw6xE7iZz"
    "yjJ18QPOY/o/LXAxy3KYf9I9BGP6oPAsEt0VkJG/4y+G8rWcAFeiul1hJQPV3hKnfeMOUvsM"
    "dSyKizUfGnVjfNS/j30uMMlFZPBsXCu5xrrMrQw6DWFWioki9eKuUZJuEkmg6hAHjMftsMRN"
    "KGFK9SYwnOF4GmcAlgUVP8LIT5qBOdyFq6wBFhMohaVVmktioR59TIrU6a6s7DZXlVsyIGHW"
    "zCzOg+DRSco8VNnjdYo2A3dwLFMH69oVbxxr6e/SDD8bPKttGlRPobwzr/Jn+8r6uKTld8+0"
    "DZRL8C+Oc+B2QxPYWq1aNXVuPfcmjYVV8mTa5HsDOcA0P/v+YPcU3HTkDtZYzku7Stcn+B2V"
    "W4NyygBJD37jKE54zeUnvxYP0zFyThI2HY4CzJIHo7KPY92kwwdfcnY7mZH8ekPrz+lzzNPO"
    "+DolDhvtaPGfrJby2kU5qhKb6akQpd/bVefMxHl9W+zxFrPdpwO6iiO730nZf4CvDlgIgbEM"
    "2QnuWuY6uOaWXw5ZL0ziT+2U60zN8V/Ge+gyuSO5qHgIrcclOz7zjjbesuWCboEJ5Bg86my0"
    "J1zE+N74DfL8jFzpvlmEw9Uy0APbN+CyHSGgf9pxjwqvRi6D16e6MzA+xn4MbMWIAWhObvkY"
    "AFQTolZX1rSM78OOJ3gMsqJVRtLfj126OCOlmZpDIoQ/aq+EQLmIXDjm8QBNZwMK5orFhS2n"
    "DDSTPH2BGD/sP2M8UPd7QLZCN+mtiBtBfjBAa5DHqC4qOgZVqMEBxMhUIXVIHbT1hcldoD6o"
    "l917kLQkkHok8Hvs7iVC8VX/G4Lo4CwK6QzBrGtIJZ9wuVgcOlSsVBFnQZnS7YkKkce8oxzc"
    "vUttxl1Fg7HfxSiztiuSsRUxvk9+hSeF4jM+X7QjPh9gdJzdaGaYEc+hR/ISGGdKuKdGzSVq"
    "jkIsgATQ0hsJXfHsgOrsqkoJcYT61L7dWBEC9KDT0RUuCXHj0A6tJNhHbW2VunY5Mkr+HiGZ"
    "Ym9B9K5LvEaMh9R7PRML0HxxSGcikh5Pn+hgKnNMR9BIpNz1rgWLYTwDTyUNcTQ3d3vz4dn7"
    "muQev4tEuVkfrMN+UqVFMDSYLylTrgJKrmfXweZmA2t2TynNUbBSby5oGYPuqgSnZfktRJ9O"
    "Tr7uUjYOMHH+Higwk+BLuQSAU2pDHsleNTDhGKKYXvnRzJlXybSQ5PqinhCCVB0/E84d2L0c"
    "aGyUn3xNEWBdcZHlNRUIzTY9JBP3uPmOkoUZ3oQjCdU/uxOFbaOHU9yNqlTdzGoYirlOMaL+"
    "fhTnx4Eccz5d8+GJTEUIfZH2+lREU4FQtZlX91YE1KSd2UYwaC9bWnBQNZzf7ooq3VMGvUNV"
    "L+wMs9tchwy9EMVZxBmDwiph595k1HsXJm2UwGGo/6FRQRgxDRlv08RIhUkpOCQTPxEWWfFc"
    "NAVHecfiNt4x+h3clJ86QM6+boXv8YVTPv8f6BOmiSiyf0/ZhPkcyY7O13IBPjVbGQcWJ4WY"
    "ZbdKFbxuZemPePtFV0FVng1jq7Fd9eXnNFa9A5qLh4LlwBMiYlVBAwQfThBlkOCu1ZkQEVI7"
    "5poJO9BWm0lg7V/fA0yuel0Znp7TWEUuQ0a+eRXIu3+m1kZXfaQCliWi/17ANyT9H6RYPJBV"
    "cHEONsV5eWQl+/vUP+EPBMWNkrU1e0DcCBeXXShc1lVpEBhXziu0PLhZMSljcNiQ7iqbaWgZ"
    "b66gFrmFZ+rPpLX5ZsrRLbQZUsfaluxpZKOS0qc6TvRbAjSEDONIz/I/kXABQY2xEZB6OYy6"
    "yzUG2imH0m3zihI1F3Y3COdoVqs022tdPUIVRNkxxq2+bHaxfaT6s6Rns1qC7PXBHiOZBZBh"
    "nXTIV6oywO6kumj5tuZfIyJ4Z0nFiTCr0YGNHm5ZrOxdMIrmEFaO6mOrWocXWWdWmGQvRpQA"
    "Cxhh0m1h08e6sNxfUoJH+IfNCGM9sncnnBcxIJb2KWzWmXY3qmuYGG1x+296LxynJYpjaAZW"
    "kna41Hu/d5FRik+Ef6kt9r4aRnZ5Um00BU3jtKYrGcbID2ro9cO6vRVlYy568io1DWRM/5UV"
    "UpCAsjqIMethXiaf0LNFSNzBET2JmSmKcKWF3/LQl4lmoFVEg8I44nbG3JrNrIQOfXvlq8C7"
    "cLbBZKvJ6eZ+9VzNmZi49UXpZwGyQF1nJJUDX0Fpa4E5jqH9vub7F4QEQZ7NjDZq7jdvQrfV"
    "fuBSGhe0qQ9fkj/H235poGDMwdvndf4oyqYpRpvL2wKBmlzSnWY8uwj/N/+/07yImn5LAwim"
    "VAEPw91qKwqUpGQ4/xYv4ax93rGTsXAUjyjEurZaY6w1JPAkSZASm++LlNft9pb+D3VsIp7U"
    "enZbankVwLRJIkHohDQg11en1eauFAoE+RBwQs5q280EG0xgF/Vt0BJvjB4cRSjaFIrrL76l"
    "1kgb5ahKtGzZ/ibn7EkgAiQs4ncOnFBPyYmzHuseEpFw37lzdkF2bAxjscJRTmDIOlhS3CUq"
    "FDcoudEjF+p5oeCQ3FJTGXoHeinupHpyZjG8X+zJkxZ0T8uFoWah8PU01bbcLqdBEQ747t4Z"
    "MGfDnHKTDraj0wI2cldzZv4++GyQnGl+2NH9HHuLqmR50M/cSAc5ueIZsVHn2Bstnf9k1DmO"
    "Fa1ZQex0gaSTYfnsdKFkWdUlmGPud4WC2mANWRe7yVwD8fUiL1pznT6sRDSpP9NM5fN2TduR"
    "BNeXlxxdVt8JMEWcQ64GGSN1fievb7aZ10AV6/cJ3iVdF1+itS0tIEN4RcPYLj+WKQHjJ+IJ"
    "Rmbywnb7pWBBi1eL21RuUmNy+Dp+HjCeoAti5G77xQR6M6B59KYGtLStdun1rLkuw9Yt+e9Z"
    "pmfMW4H2AxMOkkOyHq5ocST8ee5vCvZ6IsIXeGXuEZIqkux1mz4030hX94dFtDdJOvHlsa7F"
    "88Ypn6kU3gEBFnjaHi99Lrnob0Q9bgrgyvUdlj0n1mnJ0+0I2IerITbGCdadU4ifn8dSs3+K"
    "MURL5uJ+/KJoHzqZDphv4vxp1FWafd+Zh1Et9jceFPxAOPelK/XqXzBXgdalMKbeoPt/b1BG"
    "t1sY0aBr/wBqn2Zru5f8aZsiCujwcP+ZOGTn4mAzYE/8PEoJsBUMWnGBhdsW42Vum0A1PQnK"
    "5am57tZikoOoJ/hKDjXxL5bfg8LO4CXcqhMxttBnCsODDe8Zi+L6xyPM+w8KSsOg3zU9bSxr"
    "SBjoMN2AS0cQLjZBYRPLqlXG1S8ALqaFREhbkrdezKY53hdSPwSwcex1a43oYAhgh+nCKvV7"
    "WTykITq01tz4oBd4786Gyzs9YFs+xxIyrhzCG4Bp+8/EAU9gd8jIBXuJh1/YwbQLYm7Qtadf"
    "A8v64XeIRQ553gRX1kMHkCaSh60ott/7yeBQo3gmfVguN2mgCyeaIlH2Vwlv88wdjv+Ku1Hg"
    "nE1yE69hVSwuhpWH2ONgj+veuJhMJYxCISN0gXf04nF5Ufum7kqNrRaNJcfQGMHsWFvYDDWu"
    "Bxutywq4t00q29jwv4mgmcEq2IyLYyA87jTrbRX3N0eObSkmeTdOLO4MeDvuoluz6oe0HPbe"
    "8OiXik8fKNe3+JLW40DKuopn+5yll22P+kGe13dtRjrPYD6Cf0YH67Ah+coK/3ise5eja4da"
    "WXMRpEfubP0YNzRSYXqQrEmWpORO90MbhEN20rf/W7n67WCDE4l1eUGioYtje9lxJNowvmYg"
    "L6VzEliSlcknhsgscsHnakpqm2pVY0F/wiENLNkZyVArNT3I65LKJE42aiMf4o4oXw2ULlmk"
    "TSW6XJGpVlJ6WiVI5KwRUuvbTDm/lg5K2ifS9ak+ZZQWfYNt+3/yikGVTv3I85exnOs+2laS"
    "hi/unRt/M+4/Xfmw/N8ZsuLxO1uHpfkSfwSDbnNgz7qW4fbdTcJlfdEGVFvCA7VsCBeBD5eR"
    "c5m+XNaGss4QSg8O5pyt3rSMeHpxLKCYeqRoj4EwXz0P8GV6y+pi/D4/8zD2qDnHKcRDo9lL"
    "xLK6ZsP3VeBkoo+/k6CbYqZYXQvurciy03KKgj+PE2t88FrazQkCtXf51WNr+epXZ2DQ7kEG"
    "2FOtVMidKfHU/VJBSnK4N3g6haG2HCSrHn2M45lkDcEUgZdBQeappysuu1I2BECMkxyfv0J9"
    "+08vUDS3rnxeFPzkrERc6CtL+9mlAGHxvPLFVnb1J1GKwikGCTdBn0SgwyFZ1A0bM2PdaIMq"
    "sd9YSRjiW/+2E5rkctV4ExslCcaDaLpH46cPfEEuzGCiuMuqTGfbBONR1Yu+PSvo34FtQXMP"
    "NOqGRkO7m2/XbzHsKHDSpe/po7TMkNqj2xSBVrR+zYRQ3pAyies4rYxYWLrmSWoxlXlokpBP"
    "o7YyqTaAMJz3j2/FNSClrcQfJqh4ssngsJdaZawWtAztPd5BZKrJ5zBlTnLAlfa3aRX1aP7Q"
    "M1LngTmnnjtx/XwrF9t1L58iBVklNlhnPcYPhlqYTHYCIvWHWQY96i141q8FFGJ9xiOpIQRG"
    "7Bcs6Ta6Aab2Skiy8nxtJO+8myr8ZlLSxQ5Hoc6LqrCK3/q0OkLmbniqC1rkXdh4cUc1gavi"
    "2AXhQdl3mTBatgq02U158Tsf+krmavS4kmLAxFNH/PCrdn3FL0dy4KFboLO+25Dg5G91g3Vl"
    "0Er6gA843lorF4xwa2g4roWSoeq/UGquOCUPOrCipCX2lbrul15LpWf1lj0P7AqGHBJxBowB"
    "CJ3EK38GuQ1B57EyhEOvSfMnsThDq52g2r0CZ8LUwuOxDxhpALsF8B4UCumPf2YXLIcNPdWY"
    "cQAGifmwUOKW3Ki9qLqjp8SaZUixRJviKQ28F+vXKM0DmY9Ryip37NLypWRK0dDZGUGyjWIu"
    "a5PT72v4FspalSqi0tSB9SArLVtdEFFDT1IldRrnbEEe03wyuBlRM6Gz7VdCNrL8lBJ/LdIG"
    "JxzbP/bYXB7YTbsjbm9rDlaHATk5bZy+uEURVohFbWq1Jm69NQ7JIuTMYtlmnHoJgCKzlKuL"
    "afvkWuto5Pg3reGo7SR18bwu7oB9rhW3moBmDgzITqMezt0GnVZ/kNWzj99SgvsqKlBfQB33"
    "boof7nSPUm9Ehx4Dytu4/jTwjXMi9eOIKuR+u7PpPQOMd/0Ylqv1ecGoz84z8Hhwrp/DpWBP"
    "RAbGwQe6rh1NhN3BxUev8Og6K3IynI3bOc/DqYsimI60SVFcQGfiLthcjQvuYN33q727340a"
    "0YlhY+LYfPFmHi67E+DRftxjyqvz/A43rHGD174zrxGRWsf8BrBcMRm9BTxmj0PaGMhxtvhK"
    "SbE8nHk8roAg54vdoY0pJYoOd4yir2XtGnuT/k5IULS+/b4HpQIBsZPuvPvSGq5Y3fWwo5n2"
    "8IugVtskQTqtzZTkL4cfH3BZtKvethnA+6nq1oSVlWkYnAAT51wBLdmtYE8NC/wZza+d1Htg"
    "LC06sMpi1kxXRuoYLD7BABg5/SsKhqmZYgafb1Onv1fSUNRxJYwBERFAjIgErsGz8FEuO5pg"
    "69qQBEvDgFYjhMXP5TwpJg6r/e8LnWFxjkZkUSx724325c0ZEk9gsb7iXEcpMfyVHtDFdQpg"
    "woxRLM+YChnPWQks+DcSOiixZ1ys+WxlKD3DPlzDMRdEuw5TCRTtsZjHnFdCgGbiOd+iPx/3"
    "iIVjUGClnfNDgKx2a55Q+zNG//cMcrJ8D8GDFGbPZlrIRc7VQ4rU7gdUTSILwg580OW11Tv7"
    "mDy3MVfaHGwaUNqfcrxZl5TSdanGNDnLVKJ4uoIWLsXokC3XkPe0VKVL7Xtowcy7RYAhrBBG"
    "KpkLM7jDQA8s80TAO77MEHU2MB+On3AWOzRnCpSyDDRbv6or03zPC/au8uqUCBZbs9ewFkuy"
    "ZbugM1DOJUfBT6SG/04jjjnbF8PU5JXRDjsa6bwG2ox773VYu5jcM1FypZMbDU63ELbPerxw"
    "qk2gKBXliD8L80NEQe7PlXeUA30mxHX3EwIH6LFStAVhlpC9MdE2qXzRpOMMsq3cNUqtkEcr"
    "IBAXW02ZTHW+KJ2GEigHV0rjLVi79EZ8+5088saJmg/T9iIX6DQkbcWt4ExD32MINandbgE3"
    "OW2iNovZwTAAud3o9K7cgpaeRWTZJkjUYgSarGt7uTvxM1fnVo0YSRRY8A2vX/0IEbHgFwyT"
    "kRKaNRQW6DEPN4OA6p7WZd51CP9YBlSDkVrHwY6G1ninEIrib+28mDUAx7nEuUPLtSACGzLW"
    "5cu5jU/XU3p/XBlQVVzkdl9nQj95Y8ckvoEUiJ3K2QaBHhpQ1r9WNhE68zdRNHTp02zZpVDl"
    "KYPY+7UbvGZ/FF4akJovAxSyn624IfzgoFT5bBWk9quljFSIj4qKA87a/AuHuHn3glVBbmzr"
    "CCzRBtHQOPLtsh3/WA7DSDSHXK/cti7kNNEcM36cVonbCd7EUNNuL91i3W67MXi0sW1JTvPb"
    "xY27FWyn5o6Ijvkxd1acZJFZiQz3KirdbEHJMdgfKWv9PHXPz6SL4MupKwoN2w28t3KJd8Sn"
    "HR12d/OhsJ6GpLKKYY/eplsjdIzFUMZj0Xy7lfm4OnHoSiqC+X3a3KYLSUKOoET+t966aDrp"
    "DAS8/mjg2d0MENhyN8Rqc4I3cNsKbUcHrGWFCi5W3hbPio5N9r48uOpYLlWKlUz8khjhzgIp"
    "0xtYUaEjtIQzW3zsLtPtKFZRHQ6AGP8K5dKJ4KSeOL3OdtaWl2goTOLi4hw5YKuGriClr433"
    "l67sJcE/23BLQT53SaW47gVxPVkeufod4Gp8/Xa3KeLkGwe04UIQm8rK7ZSvfrBp5/OHkJ2G"
    "VZ441A5bWb96FKhxeb04KADI+vUZFT7mP7AWF5rLC+c4CZ0v2PdxzhvbkAgGfQ5JfDrazSSQ"
    "pdr5eUwSwHc44XtMGRHodSjmdUBXBa/g6aIfD+9wBHL3h5vOjV5kKHc3zLbDlmtCep49aNoh"
    "vb7PLWzpRCSLxot7ijMGY6Z7ZmIW2SIosom7mu4YgoFEvO7dgtGBuknCGuZoURrbkWjqQEYR"
    "hxlNO+bugazT642ifuUQ3OXKtC4fbdiSBpAY6Wn7+nxy7DliyClQtAvsK7ECUAYr1PPdlbIX"
    "g+V5/gfun6j02G7gyYu+128Sf3Ntu2R7WRU1FvpVUBLuk1jYj2dKqIp0PboXANjGsj9mYZJJ"
    "7X60E5z3lQ3dUWfMu8L4v30FMG1W7FTvnGS5aWfuswQXHr8fHumWI9ggitG7At+YSq1une8u"
    "3kgTvBTszZlxnFY6jHzw5gfkivSNUgv9csMrC86MdDTaYk84FU/EPFRUTpczRrl+fKF+ZffV"
    "DJH6cgDy6G6VVxu7k29YWsrPnlgVkTrUzTp8Mn/n90whtAro20vSvDrnp2WxHvrjnlb0WKoY"
    "mj9wUOe+Q9TLnt/+xsDoQfu5Xq/u5+1Xm7wK2CmJvSWWhAkwKUt/jLb2iI3QSl2aXaqSqNsb"
    "G/aCiRHc3WiFcO/DOvvbLZVB5h3z/evt+l8ovf4+NGf4V84oB60rElK0BOOHBRvw2bRHWVXk"
    "j6+SSxH49kgR8eVKfvTZqWbYU9na/bf5pFb6rFdryq7kiOerKdDdHhVOLSDNoZ9GDmRPBfyo"
    "RHaKflRanXAIXf9AFUf6DXpY+iyrEZYAK+o/lDFVQBwiNJEHq89UL4LMX8fpwUjD/slYqT72"
    "aooTZBH84sQrcCuyZaCBHvEHzqPNn9HNlBjByP/j0VOzUXLYrp9WP6M+go1cPUO2DKL9uB0f"
    "NagUmioLTfw7kW5wd6qkuqQw+590CKzDaiJD85D5P59gSDu1TKZWFwMA";

// How many primitive polynomials of each degree there are.
constexpr int kPolynomials[] = {0,  1,  1,  2,  2,   6,   6,
                                18, 16, 48, 60, 176, 144, 630};

uint32_t Sextet(char c) {
  if (c >= 'a') return static_cast<uint32_t>(c - 'a' + 26);
  if (c >= 'A') return static_cast<uint32_t>(c - 'A');
  if (c >= '0') return static_cast<uint32_t>(c - '0' + 52);
  return c == '+' ? 62 : 63;
}

class BitReader {
 public:
  uint32_t Take(int n) {
    uint32_t value = 0;
    for (int i = 0; i < n; ++i, ++at_) {
      // Bytes lie in characters with their highest bit first.
      const int64_t byte = at_ / 8, bit = byte * 8 + 7 - at_ % 8;
      value |= (Sextet(kNumbers[bit / 6]) >> (5 - bit % 6) & 1) << i;
    }
    return value;
  }

 private:
  int64_t at_ = 0;
};

}  // namespace

std::vector<uint32_t> SobolDirections(int dimensions) {
  std::vector<uint32_t> directions(size_t{kSobolBits} * dimensions);
  const auto at = [&](int bit, int dimension) -> uint32_t& {
    return directions[static_cast<size_t>(bit) * dimensions + dimension];
  };
  for (int k = 0; k < kSobolBits; ++k) at(k, 0) = 1u << (kSobolBits - 1 - k);
  BitReader bits;
  int degree = 1, left = kPolynomials[1];
  for (int j = 1; j < dimensions; ++j, --left) {
    while (left == 0) left = kPolynomials[++degree];
    const uint32_t inner = bits.Take(degree - 1);
    uint32_t m[kSobolBits] = {1};
    for (int k = 1; k < degree; ++k) m[k] = bits.Take(k) << 1 | 1;
    for (int k = degree; k < kSobolBits; ++k) {
      m[k] = m[k - degree] << degree ^ m[k - degree];
      for (int i = 1; i < degree; ++i) {
        if (inner >> (degree - 1 - i) & 1) m[k] ^= m[k - i] << i;
      }
    }
    for (int k = 0; k < kSobolBits; ++k) {
      at(k, j) = m[k] << (kSobolBits - 1 - k);
    }
  }
  return directions;
}

template <class T>
void SobolPoints(const std::vector<uint32_t>& directions, int dimensions,
                 int64_t first, int64_t count, T* out) {
  constexpr T kUnit = T(1) / T(int64_t{1} << kSobolBits);
  if (count == 0) return;
  std::vector<int32_t> point(dimensions);
  const auto change = [&](int bit) {
    const uint32_t* by = &directions[static_cast<size_t>(bit) * dimensions];
    for (int j = 0; j < dimensions; ++j)
      point[j] ^= static_cast<int32_t>(by[j]);
  };
  // Zeros would be the point before the first.
  uint64_t n = static_cast<uint64_t>(first) + 1;
  const uint64_t gray = n ^ n >> 1;
  for (int k = 0; k < kSobolBits; ++k) {
    if (gray >> k & 1) change(k);
  }
  for (int64_t i = 0; i < count; ++i, out += dimensions) {
    for (int j = 0; j < dimensions; ++j) out[j] = T(point[j]) * kUnit;
    if (i + 1 < count) change(std::countr_zero(++n));
  }
}

template void SobolPoints(const std::vector<uint32_t>&, int, int64_t, int64_t,
                          float*);
template void SobolPoints(const std::vector<uint32_t>&, int, int64_t, int64_t,
                          double*);

}  // namespace gk
