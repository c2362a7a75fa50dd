-- small(text): a text with small letters in place of capital ones from A to Z: names of columns are compared so.

system.main.translate(<text>, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')
