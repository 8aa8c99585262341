"""Pages from the web, politely, as WARC: what Scrapy fetches, kept so that a killed run goes on."""
