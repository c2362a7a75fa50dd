"""What a release promises: quasi-identifiers, requirements, masks, recodings and the policies that hold them."""
