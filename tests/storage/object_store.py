"""What opens the store of these tests; nothing of it may be seen anywhere."""

SECRET = "wJalrXUtnFEMIK7MDENGbPxRfiCYSECRETVALUE"
KEY_ID = "AKIAIOSFODNN7TESTING"
