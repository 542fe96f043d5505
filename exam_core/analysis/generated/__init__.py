"""Generated answers: what their ranks among judged documents say of the systems that wrote them."""
