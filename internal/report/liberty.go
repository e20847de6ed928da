package report

// liberty puts into words what a server did beside answering, by the code it was
// counted under. An unknown code stands for itself.
func liberty(code string) string {
	switch code {
	case "stdout-noise":
		return "a line on stdout that is no JSON-RPC message"
	case "crlf":
		return "a line that ends in CR LF"
	case "id-type-changed":
		return "an answer whose id came back as another JSON type"
	case "unmatched-answer":
		return "an answer that nobody waited for (late, or with another id)"
	case "batch-answer":
		return "an answer inside an array"
	case "server-request":
		return "a request of the server to its client"
	case "notification":
		return "a notification of the server"
	case "reply-refused":
		return "an answer of ours to its own request that it refused"
	case "notification-reply":
		return "a notification of ours not answered by an empty 202"
	case "media-type":
		return "an answer without a usable content type"
	case "stream-not-ended":
		return "a response that went on after its answer"
	}
	return code
}
