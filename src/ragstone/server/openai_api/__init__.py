"""The shapes of OpenAI's API: requests as its clients write them, responses as they read them."""
