package doctor

// checks is all that is looked at, in the order in which it is told.
var checks = []check{
	{"data-folder", settings, lookDataFolder, "only its owner can read it"},
	{"master-key", folder, lookMasterKeyFile, "only its owner can read it"},
	{"disk", folder, lookDisk, "there is room"},
	{"database", folder, lookDatabase, "it answers, and its tables are those of this binary"},
	{"wal", folder, lookWAL, "SQLite's log is small"},
	{"clock", folder, lookClock, "it agrees with the database and its files"},
	{"sealed", database, lookSealed, "the master key opens every secret"},
	{"journal", folder, lookJournal, "all usage is in the database"},
	{"files", database, lookFiles, "none was found damaged"},
	{"share", database, lookShare, "no workspace holds most of what it may"},
	{"running", database, lookRunning, "a server is running"},

	{"listener", settings, lookListener, "no open listener lacks TLS"},
	{"public-url", settings, lookPublicURL, "clients are given an address that works"},
	{"certificate", settings, lookCertificate, "none is needed, or it is good for weeks"},
	{"proxies", settings, lookProxies, "they are named, and nobody else is trusted"},
	{"metrics", settings, lookMetrics, "they are not open to others"},
	{"telemetry", settings, lookTelemetry, "none is sent, or the collector takes it"},

	{"second-factor", settings, lookSecondFactor, "the console asks for one"},
	{"administrators", database, lookAdministrators, "each has a second factor"},
	{"keys", database, lookKeys, "every production key ends by itself"},
	{"development-keys", settings, lookDevelopmentKeys, "they are switched off"},

	{"providers", database, lookProviders, "all are in use"},
	{"provider-keys", database, lookProviderKeys, "every provider takes its key"},
	{"prices", database, lookPrices, "every request lately had a price"},

	{"set-aside", database, lookSetAside, "no task killed a server"},
	{"webhooks", database, lookWebhooks, "none was given up lately"},
	{"unsettled", database, lookUnsettled, "every generation has its price"},
	{"waiting", database, lookWaiting, "no generation has waited long"},
	{"backups", settings, lookBackups, "stele backup was called lately"},
}
