"""What a helm-run costs beside the providers: `make bench` measures it with a loopback server of fixed latency."""
