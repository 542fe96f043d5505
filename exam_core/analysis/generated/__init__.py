"""Generated answers: what their ranks among judged documents, and what they cite, say of the systems behind them."""
