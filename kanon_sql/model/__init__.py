"""What a release guarantees: quasi-identifiers, requirements, masks, recodings and the policies that hold them."""
